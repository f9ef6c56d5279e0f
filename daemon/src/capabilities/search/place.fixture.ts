import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestApp } from '../../app.fixture.ts';

/** A daemon and a directory with files to search. */
export class Place implements AsyncDisposable {
  readonly daemon: TestApp;
  readonly root = mkdtempSync(join(tmpdir(), 'searched-'));

  private constructor(daemon: TestApp) {
    this.daemon = daemon;
    mkdirSync(join(this.root, 'd/.h'), { recursive: true });
    writeFileSync(join(this.root, 'a.py'), 'import os\nprint("hello")\nhello = 1\n');
    writeFileSync(join(this.root, 'd/b.py'), 'hello = 2\n');
    writeFileSync(join(this.root, 'd/.h/c.py'), 'hello = 3\n');
    writeFileSync(join(this.root, 'd/n.txt'), 'x'.repeat(5));
  }

  static async start(overrides: Parameters<typeof TestApp.start>[0] = {}): Promise<Place> {
    return new Place(await TestApp.start(overrides));
  }

  path(name: string): string {
    return join(this.root, name);
  }

  async post(url: string, body: object, headers: Record<string, string> = {}) {
    const answer = await this.daemon.post(url, body, headers);
    return { status: answer.statusCode, ...answer.json() };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.daemon[Symbol.asyncDispose]();
    rmSync(this.root, { recursive: true, force: true });
  }
}
