import { z } from 'zod';
import type { SurveyResult } from '../../../core/survey/survey.ts';

const Check = z.object({
  name: z.string(),
  ok: z.boolean(),
  required: z.boolean(),
  detail: z.string(),
  hint: z.string().optional(),
});

const Exec = z.object({
  pty: z.boolean().default(false).meta({ description: 'A real terminal was opened.' }),
  tmux: z.boolean().default(false).meta({ description: 'tmux is on PATH.' }),
  rg: z.boolean().default(false).meta({ description: 'ripgrep is on PATH.' }),
  backend: z.string().nullable().default(null).meta({ description: 'What holds the terminals: native or tmux.' }),
});

const CodeInterpreter = z.object({
  backend: z.string().nullable().default(null),
  jupyter_backend: z.string().nullable().default(null),
  python_kernels: z.array(z.string()).default([]),
  node: z.boolean().default(false),
  missing: z.array(z.string()).default(['code']).meta({ description: 'What would have to be there for all of it.' }),
});

const Computer = z.looseObject({ status: z.enum(['ready', 'degraded', 'absent']).default('absent') });

const Protocol = z.object({
  name: z.string(),
  path: z.string().meta({ description: 'Its prefix on the public port.' }),
  port: z.int().nullable().meta({ description: 'Its own port at the address of the gateway; null: none.' }),
  level: z.string().meta({ description: 'How much of the protocol is served; docs/protocols.md has the table.' }),
  missing: z.array(z.string()).meta({ description: 'What the service does not serve of it.' }),
});

/** What the sandbox can do. A section of a capability that is not mounted says that it is absent. */
export const Capabilities = z
  .object({
    files: z.boolean().default(false).meta({ description: 'A real file was written.' }),
    exec: Exec.prefault({}),
    code_interpreter: CodeInterpreter.prefault({}),
    browser: z.boolean().default(false).meta({ description: 'A browser answers.' }),
    computer: Computer.prefault({}),
    timeline: z.boolean().default(false).meta({ description: 'Events are recorded (SVC_RECORD=on).' }),
    protocols: z.array(Protocol).default([]).meta({ description: 'Foreign protocols that are served.' }),
    checks: z.array(Check).meta({ description: 'What `sandboxd doctor` finds, then what the probes did.' }),
  })
  .meta({ id: 'Capabilities' });

export function capabilitiesData({ report, checks }: SurveyResult): z.output<typeof Capabilities> {
  return Capabilities.parse({ ...report, checks });
}
