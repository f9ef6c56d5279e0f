import { z } from 'zod';

/** The schema of a body that its handler reads as a stream. */
export const RawBody = z.unknown().meta({ type: 'string', format: 'binary' });

/** The schema of a form with a part `file`, which its handler reads as a stream. */
export const FileForm = z.unknown().meta({
  type: 'object',
  properties: {
    file: { type: 'string', format: 'binary' },
    path: { type: 'string', description: 'As in the query; by default /tmp and the name of the file.' },
    path_b64: { type: 'string', description: 'The bytes of the path in base64, if it is not UTF-8.' },
  },
  required: ['file'],
  example: { file: 'hello\n', path: '/tmp/example/hello.txt' },
});

/** The schema of a response that is not JSON; `produces` of the route has its types. */
export const RawAnswer = z.unknown().meta({ type: 'string', format: 'binary' });
