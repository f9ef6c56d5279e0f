/** The scalar types of a field (descriptor.proto, FieldDescriptorProto.Type). */
const SCALARS = { int64: 3, int32: 5, string: 9, bytes: 12, uint32: 13, sint32: 17, bool: 8 } as const;

/** A field of a message: its number and its type on the wire. `T`: as it is read; `I`: as it may be given. */
export interface Field<T = unknown, I = T> {
  readonly kind: 'scalar' | 'message' | 'enum' | 'map';
  readonly number: number;
  readonly scalar?: number;
  readonly message?: MessageType;
  readonly enumeration?: EnumType;
  readonly isRepeated?: boolean;
  /** Whether its absence differs from its zero value. */
  readonly isOptional?: boolean;
  /** Carry the types only. */
  readonly read?: T;
  readonly given?: I;
}

/** Fields of which at most one is present. */
export interface OneOf<T = unknown, I = T> {
  readonly kind: 'oneof';
  readonly choices: Readonly<Record<string, Field>>;
  readonly read?: T;
  readonly given?: I;
}

export type Fields = Readonly<Record<string, Field | OneOf>>;

/** A message; the names of its fields are those of a `.proto` file in camelCase. */
export interface MessageType<F extends Fields = Fields> {
  /** A dot nests the message in another one. */
  readonly name: string;
  readonly fields: F;
  /** The message of another file, which its reader knows. */
  readonly external?: string;
}

export interface EnumType {
  readonly name: string;
  readonly values: Readonly<Record<string, number>>;
}

type ReadOf<P> = P extends Field<infer T, unknown> | OneOf<infer T, unknown> ? T : never;
type GivenOf<P> = P extends { readonly given?: infer I } ? I : never;

/** A message as it is read. */
export type Read<M> = M extends MessageType<infer F> ? { readonly [K in keyof F]: ReadOf<F[K]> } : never;
/** What a message is made from. */
export type Given<M> = M extends MessageType<infer F> ? { readonly [K in keyof F]?: GivenOf<F[K]> | undefined } : never;

type Scalar = keyof typeof SCALARS;
type ScalarValue = {
  int64: bigint;
  int32: number;
  string: string;
  bytes: Uint8Array;
  uint32: number;
  sint32: number;
  bool: boolean;
};

export function scalar<S extends Scalar>(type: S, number: number): Field<ScalarValue[S]> {
  return { kind: 'scalar', number, scalar: SCALARS[type] };
}

export function enumOf(enumeration: EnumType, number: number): Field<number> {
  return { kind: 'enum', number, enumeration };
}

export function messageOf<M extends MessageType>(message: M, number: number): Field<Read<M> | undefined, Given<M>> {
  return { kind: 'message', number, message };
}

/** A map from text to text. */
export function textMap(number: number): Field<Readonly<Record<string, string>>> {
  return { kind: 'map', number };
}

export function repeated<T, I>(field: Field<T, I>): Field<readonly NonNullable<T>[], readonly I[]> {
  return { ...(field as Field), isRepeated: true } as Field<readonly NonNullable<T>[], readonly I[]>;
}

export function optional<T, I>(field: Field<T, I>): Field<T | undefined, I> {
  return { ...field, isOptional: true };
}

type Chosen<C, Side extends 'read' | 'given'> = {
  [K in keyof C]: {
    readonly case: K;
    readonly value: NonNullable<Side extends 'read' ? ReadOf<C[K]> : GivenOf<C[K]>>;
  };
}[keyof C];

export function oneOf<C extends Readonly<Record<string, Field>>>(
  choices: C,
): OneOf<Chosen<C, 'read'> | { readonly case: undefined; readonly value?: undefined }, Chosen<C, 'given'>> {
  return { kind: 'oneof', choices };
}

export function message<F extends Fields>(name: string, fields: F): MessageType<F> {
  return { name, fields };
}

/** google.protobuf.Timestamp. */
export const Timestamp: MessageType<{ seconds: Field<bigint>; nanos: Field<number> }> = {
  name: 'Timestamp',
  external: '.google.protobuf.Timestamp',
  fields: { seconds: { kind: 'scalar', number: 1 }, nanos: { kind: 'scalar', number: 2 } },
};

/** google.protobuf.Empty. */
export const Empty: MessageType<Record<never, never>> = {
  name: 'Empty',
  external: '.google.protobuf.Empty',
  fields: {},
};

type MethodKind = 'unary' | 'server_streaming' | 'client_streaming' | 'bidi_streaming';

export interface MethodType<
  K extends MethodKind = MethodKind,
  I extends MessageType = MessageType,
  O extends MessageType = MessageType,
> {
  readonly kind: K;
  readonly input: I;
  readonly output: O;
}

function method<K extends MethodKind>(kind: K) {
  return <I extends MessageType, O extends MessageType>(input: I, output: O): MethodType<K, I, O> => ({
    kind,
    input,
    output,
  });
}

export const unary = method('unary');
export const serverStreaming = method('server_streaming');
export const clientStreaming = method('client_streaming');
export const bidiStreaming = method('bidi_streaming');

export type Methods = Readonly<Record<string, MethodType>>;

export interface ServiceType<M extends Methods = Methods> {
  readonly package: string;
  readonly name: string;
  readonly methods: M;
}
