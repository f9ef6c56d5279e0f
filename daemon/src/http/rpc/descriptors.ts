import { create, createFileRegistry, type DescService } from '@bufbuild/protobuf';
import {
  type DescriptorProto,
  DescriptorProtoSchema,
  type EnumDescriptorProto,
  EnumDescriptorProtoSchema,
  EnumValueDescriptorProtoSchema,
  type FieldDescriptorProto,
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  FieldDescriptorProtoSchema,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
  file_google_protobuf_empty,
  file_google_protobuf_timestamp,
  MessageOptionsSchema,
  MethodDescriptorProtoSchema,
  OneofDescriptorProtoSchema,
  ServiceDescriptorProtoSchema,
} from '@bufbuild/protobuf/wkt';
import type { EnumType, Field, MessageType, ServiceType } from './wire-types.ts';

/** Files of protobuf itself that messages may refer to. */
const KNOWN_FILES = [file_google_protobuf_empty, file_google_protobuf_timestamp];

/** The descriptor of a service, as a compiler would make it from a `.proto` file. */
export function descriptorOf(service: ServiceType): DescService {
  const fileName = `${service.package}.proto`;
  const file = new FileBuilder(service.package);
  const methods = Object.entries(service.methods).map(([name, { kind, input, output }]) =>
    create(MethodDescriptorProtoSchema, {
      name,
      inputType: file.nameOf(input),
      outputType: file.nameOf(output),
      serverStreaming: kind === 'server_streaming' || kind === 'bidi_streaming',
      clientStreaming: kind === 'client_streaming' || kind === 'bidi_streaming',
    }),
  );
  const proto = create(FileDescriptorProtoSchema, {
    name: fileName,
    package: service.package,
    syntax: 'proto3',
    dependency: KNOWN_FILES.map(({ proto: { name } }) => name),
    messageType: file.messages,
    enumType: file.enums,
    service: [create(ServiceDescriptorProtoSchema, { name: service.name, method: methods })],
  });
  const set = create(FileDescriptorSetSchema, { file: [...KNOWN_FILES.map((known) => known.proto), proto] });
  const found = createFileRegistry(set).getService(`${service.package}.${service.name}`);
  if (!found) throw new Error(`no service ${service.name}`);
  return found;
}

/** Collects what the messages of a service refer to. */
class FileBuilder {
  readonly messages: DescriptorProto[] = [];
  readonly enums: EnumDescriptorProto[] = [];
  readonly #package: string;
  readonly #known = new Map<string, DescriptorProto>();

  constructor(name: string) {
    this.#package = name;
  }

  /** The full name of a message, which is defined if it was not yet. */
  nameOf({ name, fields, external }: MessageType): string {
    if (external !== undefined) return external;
    const full = `.${this.#package}.${name}`;
    const made = this.#messageAt(name);
    if (made.field.length > 0) return full;
    for (const [fieldName, field] of Object.entries(fields)) {
      if (field.kind !== 'oneof') this.#addField(made, full, fieldName, field);
      else {
        const oneofIndex = made.oneofDecl.length;
        made.oneofDecl.push(create(OneofDescriptorProtoSchema, { name: wireName(fieldName) }));
        for (const [choice, of] of Object.entries(field.choices)) {
          made.field.push({ ...this.#fieldOf(made, full, choice, of), oneofIndex });
        }
      }
    }
    // Those of absent fields that are optional stand behind all others.
    for (const field of made.field.filter(({ proto3Optional }) => proto3Optional)) {
      field.oneofIndex = made.oneofDecl.length;
      made.oneofDecl.push(create(OneofDescriptorProtoSchema, { name: `_${field.name}` }));
    }
    return full;
  }

  #addField(of: DescriptorProto, full: string, name: string, field: Field): void {
    of.field.push(this.#fieldOf(of, full, name, field));
  }

  #fieldOf(of: DescriptorProto, full: string, name: string, field: Field): FieldDescriptorProto {
    const { isRepeated, isOptional, kind, number } = field;
    const proto = create(FieldDescriptorProtoSchema, {
      name: wireName(name),
      jsonName: name,
      number,
      label: isRepeated || kind === 'map' ? FieldDescriptorProto_Label.REPEATED : FieldDescriptorProto_Label.OPTIONAL,
      ...(isOptional && kind !== 'message' && { proto3Optional: true }),
    });
    if (kind === 'scalar') proto.type = field.scalar as FieldDescriptorProto_Type;
    else if (kind === 'enum') {
      proto.type = FieldDescriptorProto_Type.ENUM;
      proto.typeName = this.#enumName(field.enumeration);
    } else {
      proto.type = FieldDescriptorProto_Type.MESSAGE;
      proto.typeName = kind === 'map' ? mapEntry(of, full, name) : this.nameOf(field.message as MessageType);
    }
    return proto;
  }

  #enumName(enumeration: EnumType | undefined): string {
    const { name = '', values = {} } = enumeration ?? {};
    if (!this.enums.some((one) => one.name === name)) {
      const value = Object.entries(values).map(([text, number]) =>
        create(EnumValueDescriptorProtoSchema, { name: text, number }),
      );
      this.enums.push(create(EnumDescriptorProtoSchema, { name, value }));
    }
    return `.${this.#package}.${name}`;
  }

  #messageAt(path: string): DescriptorProto {
    const known = this.#known.get(path);
    if (known) return known;
    const at = path.lastIndexOf('.');
    const made = create(DescriptorProtoSchema, { name: path.slice(at + 1) });
    this.#known.set(path, made);
    if (at < 0) this.messages.push(made);
    else this.#messageAt(path.slice(0, at)).nestedType.push(made);
    return made;
  }
}

/** The message of the pairs of a map (proto3 specification, maps). */
function mapEntry(of: DescriptorProto, full: string, name: string): string {
  const entry = `${name.charAt(0).toUpperCase()}${name.slice(1)}Entry`;
  const type = FieldDescriptorProto_Type.STRING;
  const label = FieldDescriptorProto_Label.OPTIONAL;
  of.nestedType.push(
    create(DescriptorProtoSchema, {
      name: entry,
      options: create(MessageOptionsSchema, { mapEntry: true }),
      field: [
        create(FieldDescriptorProtoSchema, { name: 'key', jsonName: 'key', number: 1, type, label }),
        create(FieldDescriptorProtoSchema, { name: 'value', jsonName: 'value', number: 2, type, label }),
      ],
    }),
  );
  return `${full}.${entry}`;
}

function wireName(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
