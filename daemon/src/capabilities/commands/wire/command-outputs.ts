import { SandboxError } from '@sandbox/api/sandbox-error.ts';
import { PART_BYTES, type ResourceSource, requireOffset } from '../../../core/resources/resource.ts';
import type { CommandService } from '../command-service.ts';

const PREFIX = 'sandbox://commands/';
const STREAMS = ['stdout', 'stderr'] as const;
/** Characters of a command's text in a list. */
const NAMED_MAX = 100;
const TEXT = 'text/plain; charset=utf-8';
const OUTPUT = /^\/([\w-]+)\/(stdout|stderr)$/;

/** Both streams of each command, the newest first. */
export function commandOutputs(service: CommandService): ResourceSource {
  return {
    prefix: PREFIX,
    templates: [
      {
        uriTemplate: `${PREFIX}{command_id}/{stream}{?offset}`,
        name: 'output of a command',
        description: `stdout or stderr, ${PART_BYTES} bytes from offset on.`,
      },
    ],
    list: async (cursor, limit) => {
      const commands = Math.max(1, Math.floor(limit / STREAMS.length));
      const found = service.list({ before: cursor, limit: commands + 1 });
      const page = found.slice(0, commands);
      const resources = page.flatMap(({ id, command }) =>
        STREAMS.map((stream) => ({
          uri: `${PREFIX}${id}/${stream}`,
          name: `${stream} of ${command.slice(0, NAMED_MAX)}`,
          mimeType: TEXT,
        })),
      );
      return { resources, next: found.length > commands ? page.at(-1)?.id : undefined };
    },
    read: async (uri, gone) => {
      const [, id, name] = OUTPUT.exec(uri.pathname) ?? [];
      const offset = requireOffset(uri);
      if (id === undefined) {
        throw new SandboxError('invalid', 'is no output of a command', {
          field: 'uri',
          hint: `${PREFIX}COMMAND_ID/stdout?offset=0 is one; sandbox_command lists the commands`,
        });
      }
      const stream = name === 'stderr' ? 'stderr' : 'stdout';
      const request = { from: { stdout: offset, stderr: offset }, limit: PART_BYTES, asText: true, waitMs: 0 };
      const { record, [stream]: read } = await service.read(id, request, gone);
      const _meta = { status: record.status, next_offset: read.next };
      return { uri: uri.href, mimeType: TEXT, text: read.bytes.toString(), _meta };
    },
  };
}
