import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { capture } from '../../../scripts/images/docker.ts';
import { API_ADDRESS, API_SERVICE_ADDRESS, CERTIFICATES, NODE_ADDRESS, NODE_NAME } from './places.ts';

const LOCAL = ['IP:127.0.0.1', `IP:${NODE_ADDRESS}`];
const API_NAMES = ['', '.default', '.default.svc', '.default.svc.cluster.local'].map((end) => `DNS:kubernetes${end}`);

interface Identity {
  readonly name: string;
  readonly subject: string;
  /** Names and addresses of a server. */
  readonly servesAs?: readonly string[];
  /** Whether a program reads a configuration of a client with it. */
  readonly isClient?: boolean;
}

const IDENTITIES: readonly Identity[] = [
  {
    name: 'apiserver',
    subject: '/CN=kube-apiserver',
    servesAs: [...API_NAMES, 'DNS:localhost', `IP:${API_SERVICE_ADDRESS}`, ...LOCAL],
  },
  { name: 'apiserver-kubelet', subject: '/O=system:masters/CN=apiserver-kubelet' },
  {
    name: 'kubelet',
    subject: `/O=system:nodes/CN=system:node:${NODE_NAME}`,
    servesAs: [`DNS:${NODE_NAME}`, ...LOCAL],
    isClient: true,
  },
  { name: 'admin', subject: '/O=system:masters/CN=admin', isClient: true },
  { name: 'controller-manager', subject: '/CN=system:kube-controller-manager', isClient: true },
  { name: 'scheduler', subject: '/CN=system:kube-scheduler', isClient: true },
  { name: 'proxy', subject: '/CN=system:kube-proxy', isClient: true },
];

/** One authority of the node, a certificate for each program, and their configurations. A second of work. */
export async function makeCertificates(): Promise<void> {
  if (existsSync(join(CERTIFICATES, 'admin.conf'))) return;
  await mkdir(CERTIFICATES, { recursive: true, mode: 0o700 });
  await makeKey('ca');
  await openssl('req', '-x509', '-new', '-key', 'ca.key', '-subj', '/CN=node', '-days', '3650', '-out', 'ca.crt');
  await makeKey('accounts');
  await openssl('ec', '-in', 'accounts.key', '-pubout', '-out', 'accounts.pub');
  for (const identity of IDENTITIES) await makeIdentity(identity);
}

async function makeIdentity({ name, subject, servesAs = [], isClient = false }: Identity): Promise<void> {
  await makeKey(name);
  const names = servesAs.length > 0 ? `subjectAltName=${servesAs.join()}\n` : '';
  await writeFile(join(CERTIFICATES, `${name}.ext`), `extendedKeyUsage=serverAuth,clientAuth\n${names}`);
  await openssl('req', '-new', '-key', `${name}.key`, '-subj', subject, '-out', `${name}.csr`);
  const authority = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '3650'];
  await openssl('x509', '-req', '-in', `${name}.csr`, ...authority, '-extfile', `${name}.ext`, '-out', `${name}.crt`);
  if (isClient) await writeFile(join(CERTIFICATES, `${name}.conf`), configuration(name));
}

async function makeKey(name: string): Promise<void> {
  await openssl('ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', `${name}.key`);
}

function configuration(name: string): string {
  const [authority, certificate, key] = ['ca.crt', `${name}.crt`, `${name}.key`].map((file) =>
    join(CERTIFICATES, file),
  );
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'node', cluster: { server: `https://${API_ADDRESS}`, 'certificate-authority': authority } }],
    users: [{ name, user: { 'client-certificate': certificate, 'client-key': key } }],
    contexts: [{ name: 'node', context: { cluster: 'node', user: name } }],
    'current-context': 'node',
  });
}

async function openssl(...args: string[]): Promise<void> {
  const { ok, stderr } = await capture(['sh', '-ec', 'cd "$0" && exec openssl "$@"', CERTIFICATES, ...args]);
  if (!ok) throw new Error(`openssl ${args[0]}: ${stderr.trim()}`);
}
