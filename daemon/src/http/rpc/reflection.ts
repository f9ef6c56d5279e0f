import { type DescService, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import {
  bidiStreaming,
  message,
  messageOf,
  oneOf,
  type Read,
  repeated,
  type ServiceType,
  scalar,
} from './wire-types.ts';

const NOT_FOUND = 5;
const UNIMPLEMENTED = 12;

const Extension = message('ExtensionRequest', {
  containingType: scalar('string', 1),
  extensionNumber: scalar('int32', 2),
});
const Request = message('ServerReflectionRequest', {
  host: scalar('string', 1),
  messageRequest: oneOf({
    fileByFilename: scalar('string', 3),
    fileContainingSymbol: scalar('string', 4),
    fileContainingExtension: messageOf(Extension, 5),
    allExtensionNumbersOfType: scalar('string', 6),
    listServices: scalar('string', 7),
  }),
});
const Service = message('ServiceResponse', { name: scalar('string', 1) });
const Response = message('ServerReflectionResponse', {
  validHost: scalar('string', 1),
  originalRequest: messageOf(Request, 2),
  messageResponse: oneOf({
    fileDescriptorResponse: messageOf(
      message('FileDescriptorResponse', { fileDescriptorProto: repeated(scalar('bytes', 1)) }),
      4,
    ),
    listServicesResponse: messageOf(message('ListServiceResponse', { service: repeated(messageOf(Service, 1)) }), 6),
    errorResponse: messageOf(
      message('ErrorResponse', { errorCode: scalar('int32', 1), errorMessage: scalar('string', 2) }),
      7,
    ),
  }),
});

/** The reflection service of gRPC (GRPC Server Reflection Protocol), in one of its versions. */
export function reflectionApi(version: 'v1' | 'v1alpha') {
  return {
    package: `grpc.reflection.${version}`,
    name: 'ServerReflection',
    methods: { ServerReflectionInfo: bidiStreaming(Request, Response) },
  } satisfies ServiceType;
}

type Asked = Read<typeof Request>;

/** Answers from the descriptors of these services. */
export function reflectionMethods(services: () => readonly DescService[]) {
  return {
    ServerReflectionInfo: async function* (requests: AsyncIterable<Asked>) {
      for await (const asked of requests) {
        yield { validHost: asked.host, originalRequest: asked, messageResponse: responseTo(asked, services()) };
      }
    },
  };
}

function responseTo({ messageRequest: asked }: Asked, services: readonly DescService[]) {
  switch (asked.case) {
    case 'listServices': {
      const service = services.map(({ typeName }) => ({ name: typeName }));
      return { case: 'listServicesResponse', value: { service } } as const;
    }
    case 'fileByFilename':
      return fileOf(services.find(({ file }) => file.proto.name === asked.value));
    case 'fileContainingSymbol':
      return fileOf(services.find((one) => contains(one, asked.value)));
    default:
      return failure(UNIMPLEMENTED, 'extensions are not served');
  }
}

function contains({ typeName, file }: DescService, symbol: string): boolean {
  if (symbol === typeName || symbol.startsWith(`${typeName}.`)) return true;
  const own = [...file.messages, ...file.enums].map((type) => type.typeName);
  return own.some((name) => symbol === name || symbol.startsWith(`${name}.`));
}

function fileOf(service: DescService | undefined) {
  if (!service) return failure(NOT_FOUND, 'no such file or symbol');
  const { file } = service;
  const files = [file, ...file.dependencies].map(({ proto }) => toBinary(FileDescriptorProtoSchema, proto));
  return { case: 'fileDescriptorResponse', value: { fileDescriptorProto: files } } as const;
}

function failure(errorCode: number, errorMessage: string) {
  return { case: 'errorResponse', value: { errorCode, errorMessage } } as const;
}
