import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { WITHDRAWN } from '@sandbox/program/withdrawn.ts';
import { WebSocket, WebSocketServer } from 'ws';
import { onWithdrawn } from '../access/credential-uses.ts';
import type { Admission } from '../exchange/admission.ts';
import type { UpgradeExchange } from '../exchange/exchange.ts';
import { sendError } from '../exchange/responses.ts';
import { sendUpstreamError } from '../exchange/upstream-error.ts';
import { type Address, connectTo } from '../net/address.ts';
import { terminateSilentPeer } from '../net/silent-peer.ts';
import type { WideSocket } from '../net/wide-socket.ts';
import { fromDesktop } from './view-only/from-desktop.ts';
import { fromViewer } from './view-only/from-viewer.ts';
import { newRfbState } from './view-only/handshake.ts';
import { StepReader } from './view-only/steps.ts';

/** Largest message of a viewer, in bytes: keys, pointer and the clipboard. */
const FRAME_MAX_BYTES = 16 * 1024 * 1024;
/** Close codes of RFC 6455 §7.4.1. */
const NORMAL = 1000;
const UNSUPPORTED_DATA = 1003;
const POLICY = 1008;
const NOTHING = Buffer.alloc(0);
/** Milliseconds for a viewer to read why it is cut off. */
const WITHDRAWN_MS = 400;
const ABSENT_HINT = 'the desktop is starting or not installed: GATEWAY_VNC sets the address of its RFB server';

/** Joins a WebSocket of binary frames to an RFB connection, with backpressure in both directions. */
export class RfbRelay {
  readonly #address: Address;
  readonly #extraHeaders = new WeakMap<IncomingMessage, readonly string[]>();
  readonly #server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: FRAME_MAX_BYTES,
    handleProtocols: (offered) => (offered.has('binary') ? 'binary' : false),
  });

  constructor(address: Address) {
    this.#address = address;
    this.#server.on('headers', (headers, req) => headers.push(...(this.#extraHeaders.get(req) ?? [])));
  }

  /** Accepts the WebSocket after the connection to the RFB server is open; otherwise sends an error. */
  accept(exchange: UpgradeExchange, { cookies, isViewOnly = false }: Admission): void {
    const { req, res, socket, head, requestId } = exchange;
    if (exchange.protocol.toLowerCase() !== 'websocket' || !req.headers['sec-websocket-key']) {
      sendError(exchange, 400, {
        message: 'the desktop accepts only WebSocket upgrades (RFC 6455)',
        hint: 'connect with a WebSocket client, or open /vnc/ in a browser',
      });
      return;
    }
    const rfb = connectTo(this.#address);
    socket.once('close', () => rfb.destroy());
    rfb.once('error', (error) => {
      if (!socket.destroyed) sendUpstreamError(exchange, error, { service: 'the desktop', absentHint: ABSENT_HINT });
    });
    rfb.once('connect', () => {
      rfb.removeAllListeners('error');
      this.#extraHeaders.set(req, [`x-request-id: ${requestId}`, ...cookies.map((cookie) => `Set-Cookie: ${cookie}`)]);
      res.detachSocket(socket);
      this.#server.handleUpgrade(req, socket, head, (viewer) => {
        const relayed = isViewOnly ? viewOnly() : AS_THEY_ARE;
        onWithdrawn(exchange, join(viewer, socket, rfb, relayed));
      });
    });
  }
}

/** What passes of the bytes of each side. Both throw where a side may not go on. */
interface Relayed {
  readonly fromViewer: (bytes: Buffer) => Buffer;
  readonly fromDesktop: (bytes: Buffer) => Buffer;
}

const AS_THEY_ARE: Relayed = { fromViewer: (bytes) => bytes, fromDesktop: (bytes) => bytes };

function viewOnly(): Relayed {
  const state = newRfbState();
  const viewer = new StepReader((emit) => fromViewer(state, emit));
  const desktop = new StepReader((emit) => fromDesktop(state, emit));
  return { fromViewer: (bytes) => viewer.push(bytes), fromDesktop: (bytes) => desktop.push(bytes) };
}

/** @returns cuts the viewer off */
function join(viewer: WebSocket, socket: Socket, rfb: WideSocket, relayed: Relayed): () => void {
  let isCut = false;
  /** Empty if nothing passes, or the side that sent the bytes may not go on. */
  const passing = (bytes: Buffer, side: keyof Relayed): Buffer => {
    try {
      return relayed[side](bytes);
    } catch (error) {
      isCut = true;
      viewer.close(POLICY, error instanceof Error ? error.message : String(error));
      rfb.destroySoon();
      return NOTHING;
    }
  };
  socket.setNoDelay(true);
  terminateSilentPeer(viewer);
  rfb.pumpInto({
    write(bytes, written) {
      const passed = isCut ? NOTHING : passing(bytes, 'fromDesktop');
      if (passed.length > 0) viewer.send(passed, written);
      else written?.();
      return !socket.writableNeedDrain;
    },
    on: (event, listener) => socket.on(event, listener),
  });
  rfb.on('end', () => viewer.close(NORMAL, 'the desktop ended the connection'));
  rfb.on('error', () => viewer.terminate());
  rfb.on('close', () => {
    if (viewer.readyState === WebSocket.OPEN) viewer.terminate();
  });
  viewer.on('message', (message: Buffer, isBinary) => {
    if (isCut) return;
    if (!isBinary) viewer.close(UNSUPPORTED_DATA, 'RFB must be sent in binary frames');
    else {
      const passed = passing(message, 'fromViewer');
      if (passed.length > 0 && !rfb.write(passed)) viewer.pause();
    }
  });
  rfb.on('drain', () => viewer.resume());
  viewer.on('error', () => rfb.destroy());
  viewer.on('close', () => rfb.destroySoon());
  return () => {
    isCut = true;
    viewer.close(WITHDRAWN.code, WITHDRAWN.reason);
    viewer.resume();
    setTimeout(() => viewer.terminate(), WITHDRAWN_MS).unref();
  };
}
