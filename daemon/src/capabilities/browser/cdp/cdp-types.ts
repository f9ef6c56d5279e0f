import type { ProtocolMapping } from 'devtools-protocol/types/protocol-mapping.js';

export type { Protocol } from 'devtools-protocol/types/protocol.js';

/** A command of the DevTools protocol. */
export type Method = keyof ProtocolMapping.Commands;
export type ParamsOf<M extends Method> = ProtocolMapping.Commands[M]['paramsType'][0];
export type ResultOf<M extends Method> = ProtocolMapping.Commands[M]['returnType'];

/** An event of the DevTools protocol. */
export type EventName = keyof ProtocolMapping.Events;
export type EventOf<E extends EventName> = ProtocolMapping.Events[E][0];
