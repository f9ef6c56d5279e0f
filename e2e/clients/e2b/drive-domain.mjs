// E2B's JavaScript SDK with E2B_DOMAIN and E2B_API_KEY alone, through TLS; prints "passed".
import assert from 'node:assert/strict';
import { Sandbox } from '@e2b/code-interpreter';

const sandbox = await Sandbox.create({ timeoutMs: 300_000 });
assert.equal((await sandbox.commands.run('echo ü')).stdout, 'ü\n');
await sandbox.files.write('tls/c', 'text ü');
assert.equal(await sandbox.files.read('tls/c'), 'text ü');
assert.equal((await sandbox.runCode('6 * 7')).text, '42');
await sandbox.files.remove('tls');
assert.equal(await sandbox.kill(), true);
console.log('passed');
