import { capture } from './docker.ts';

const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';

/**
 * Sources of Debian 13 in the format of sources.list, from the archive of this machine's own packages, which also has
 * other releases.
 * @throws Error with the remedy if apt has no Debian archive
 */
export async function trixieSources(): Promise<string[]> {
  const format = '$(ORIGIN) $(LABEL) $(REPO_URI)';
  const { stdout } = await capture(['apt-get', 'indextargets', '--format', format, 'Created-By: Packages']);
  const [, archive] = /^Debian Debian (\S+)$/m.exec(stdout) ?? [];
  if (archive === undefined) throw new Error("apt names no Debian archive: run 'apt-get update' once");
  const [, security] = /^Debian Debian-Security (\S+)$/m.exec(stdout) ?? [];
  const line = (uri: string, suite: string): string => `deb [signed-by=${KEYRING}] ${uri} ${suite} main`;
  const lines = [line(archive, 'trixie'), line(archive, 'trixie-updates')];
  return security === undefined ? lines : [...lines, line(security, 'trixie-security')];
}
