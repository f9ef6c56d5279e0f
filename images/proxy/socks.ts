import { connect, isIPv4, isIPv6, type Socket } from 'node:net';

interface SocksProxy {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
}

const VERSION = 5;
const USER_AND_PASSWORD = 2;
const CONNECT = 1;
const [IPV4, NAME, IPV6] = [1, 3, 4];

/**
 * Opens a connection through a SOCKS5 proxy with a user and a password (RFC 1928, RFC 1929); the proxy resolves names.
 * @throws Error if the proxy refuses, or after `ms` milliseconds
 */
export async function socksConnect(
  proxy: SocksProxy,
  target: { readonly host: string; readonly port: number },
  ms: number,
): Promise<Socket> {
  const socket = connect({ host: proxy.host, port: proxy.port });
  const timer = setTimeout(() => socket.destroy(new Error('the proxy did not answer')), ms);
  try {
    const read = reader(socket);
    socket.write(Buffer.from([VERSION, 1, USER_AND_PASSWORD]));
    const [, method] = await read(2);
    if (method !== USER_AND_PASSWORD) throw new Error('the proxy takes no user and password');
    socket.write(Buffer.concat([Buffer.from([1]), counted(proxy.user), counted(proxy.password)]));
    const [, refused] = await read(2);
    if (refused !== 0) throw new Error('the proxy refuses the user and password');
    socket.write(Buffer.concat([Buffer.from([VERSION, CONNECT, 0]), addressOf(target.host), portOf(target.port)]));
    const [, failure, , kind] = await read(4);
    if (failure !== 0) throw new Error(`the proxy cannot connect: code ${failure}`);
    await read((kind === NAME ? ((await read(1))[0] ?? 0) : kind === IPV6 ? 16 : 4) + 2);
    socket.removeAllListeners('error');
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Reads exact numbers of bytes, so that what follows the handshake stays in the socket. */
function reader(socket: Socket): (size: number) => Promise<Buffer> {
  let failure: Error | undefined;
  socket.once('error', (error) => {
    failure = error;
  });
  return (size) =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const bytes: Buffer | null = socket.read(size);
        if (bytes?.length === size) finish(() => resolve(bytes));
      };
      const end = (): void => finish(() => reject(failure ?? new Error('the proxy closed the connection')));
      const finish = (settle: () => void): void => {
        socket.off('readable', look).off('close', end).off('end', end);
        settle();
      };
      socket.on('readable', look).once('close', end).once('end', end);
      look();
    });
}

function addressOf(host: string): Buffer {
  if (isIPv4(host)) return Buffer.from([IPV4, ...host.split('.').map(Number)]);
  if (isIPv6(host)) return Buffer.concat([Buffer.from([IPV6]), ipv6Bytes(host)]);
  return Buffer.concat([Buffer.from([NAME]), counted(host)]);
}

function ipv6Bytes(host: string): Buffer {
  const [left = '', right = ''] = host.split('::');
  const groups = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
  const [before, after] = [groups(left), groups(right)];
  const all = [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 255]));
}

function portOf(port: number): Buffer {
  return Buffer.from([port >> 8, port & 255]);
}

function counted(text: string): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length > 255) throw new Error('a name, user or password of SOCKS has at most 255 bytes');
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
}
