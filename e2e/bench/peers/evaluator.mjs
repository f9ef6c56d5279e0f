// Evaluates what its parent sends in one context, and answers the values as Node prints them.
import { inspect } from 'node:util';
import { runInThisContext } from 'node:vm';

process.on('message', (code) => process.send(inspect(runInThisContext(code))));
