import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';
import { DAEMON_IMAGE } from '../../scripts/images/build-images.ts';
import { capture, docker } from '../../scripts/images/docker.ts';
import { freePort } from '../../scripts/testing/free-port.ts';
import { LABEL } from '../setup/images.ts';
import { pollByProcess } from './observe.ts';
import { plainLog } from './plain-log.ts';

const FILE = join(import.meta.dirname, 'legacy-compose.yaml');

test('[images.legacy] a compose file of 1.x runs with only the name of the image changed', async () => {
  const data = await mkdtemp(join(tmpdir(), 'sandbox-legacy-'));
  const [port, name] = [await freePort(), `sandbox-legacy-${process.pid}`];
  const [label = ''] = Object.entries(LABEL).map((pair) => pair.join('='));
  const compose = async (...args: string[]): Promise<void> => {
    const { ok, stderr } = await capture(['docker', 'compose', '--project-name', name, '--file', FILE, ...args], {
      PORT: String(port),
      NAME: name,
      DATA: data,
      LABEL: label,
      IMAGE: DAEMON_IMAGE,
    });
    if (!ok) throw new Error(stderr);
  };
  const inside = (script: string): Promise<string> => docker('exec', name, 'sh', '-c', script);
  try {
    await compose('up', '--detach');
    await pollByProcess(() => inside('/opt/svc/hooks/healthcheck 2>&1 || true')).toBe('');
    const answer = await fetch(`http://127.0.0.1:${port}/v1/shell/exec`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        command:
          'pwd -P; echo made > /home/gem/file; python -c "import requests"; ls -d project; date +%Z; echo $WORKSPACE',
      }),
    });
    const { output } = ((await answer.json()) as { data: { output: string } }).data;
    expect(output.split(/\r?\n/)).toEqual(expect.arrayContaining(['/home/sandbox', 'project', '+08', '/home/gem']));
    expect(await readFile(join(data, 'home/file'), 'utf8')).toBe('made\n');
    const log = plainLog((await capture(['docker', 'logs', name])).stdout);
    expect(log).toContain(
      'sandbox: variables of 1.x without effect, see docs/compatibility.md: AUTH_TOKEN, WAIT_PORTS, CODE_SERVER_PORT\n',
    );
    expect(log).toMatch(/sandbox: hook init: exit 0/);
    expect(log).toMatch(/sandbox: \/home\/sandbox\/project belongs to uid 0/);
    const browser = await inside('tr "\\0" "\\n" </proc/$(supervisorctl pid chromium)/cmdline');
    expect(browser.split('\n')).toContain('--lang=de-DE');
    expect(await inside('xdpyinfo | grep dimensions')).toContain('1400x900 pixels');
    expect(JSON.parse(await inside('cat /etc/chromium/policies/managed/*.json'))).toEqual({
      AllowFileSelectionDialogs: false,
      DnsOverHttpsMode: 'secure',
      DnsOverHttpsTemplates: 'https://dns.example/dns-query{?dns}',
    });
  } finally {
    await compose('down', '--volumes', '--timeout', '5');
    await rm(data, { recursive: true });
  }
});
