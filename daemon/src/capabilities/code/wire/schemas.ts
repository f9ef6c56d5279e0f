import { queryNumber } from '@sandbox/api/http/fields/query-number.ts';
import { z } from 'zod';
import { Account, QueryFlag, SessionId, StringMap, Text, WorkingDirectory } from '../../../http/fields.ts';

const MimeData = z.record(z.string(), z.unknown());

const ShownFields = {
  data: MimeData.meta({ description: 'By MIME type; binary data in base64.' }),
  metadata: MimeData,
} as const;

/** An output of a cell as notebooks have it (nbformat 4). */
export const NotebookOutput = z
  .discriminatedUnion('output_type', [
    z
      .object({ output_type: z.literal('stream'), name: z.enum(['stdout', 'stderr']), text: z.string() })
      .meta({ id: 'StreamOutput' }),
    z
      .object({ output_type: z.literal('execute_result'), ...ShownFields, execution_count: z.int().nullable() })
      .meta({ id: 'ExecuteResultOutput' }),
    z.object({ output_type: z.literal('display_data'), ...ShownFields }).meta({ id: 'DisplayDataOutput' }),
    z
      .object({
        output_type: z.literal('error'),
        ename: z.string(),
        evalue: z.string(),
        traceback: z.array(z.string()),
      })
      .meta({ id: 'ErrorOutput' }),
  ])
  .meta({ id: 'NotebookOutput' });

/** Characters of one answer to a prompt. */
const InputText = z.string().max(1_000_000);

export const InputBody = z
  .object({ text: InputText.meta({ description: 'What input() returns, without a line feed.' }) })
  .meta({ id: 'CellInput', example: { text: 'yes' } });

export const ExecuteBody = z
  .object({
    language: Text.min(1).max(128).meta({ description: 'python, javascript, typescript, bash, or a kernel by name.' }),
    code: z.string(),
    session_id: SessionId.optional().meta({ description: 'A session keeps its state; it is made on first use.' }),
    stateful: z.boolean().optional().meta({ description: 'Without session_id: makes a session and names it.' }),
    timeout: z.number().positive().max(900).default(30).meta({ description: 'Seconds that the cell may run.' }),
    cwd: WorkingDirectory.optional(),
    env: StringMap.optional(),
    user: Account.optional().meta({ description: 'The account to run as.' }),
    kernel_name: Text.min(1).max(128).optional(),
    version: Text.min(1).max(128).optional().meta({ description: 'Of the language, such as 22 or python3.11.' }),
    async: z.boolean().default(false).meta({ description: 'Answers at once with the execution_id.' }),
    stdin: z
      .array(InputText)
      .max(1000)
      .optional()
      .meta({ description: 'Answers to input() and getpass(), in their order. Python and Jupyter kernels.' }),
    idempotency_key: Text.min(1)
      .max(128)
      .optional()
      .meta({ description: 'A call with the same key returns the same execution, as long as that can be read.' }),
  })
  .meta({ id: 'ExecuteCode', example: { language: 'python', code: 'print(6 * 7)' } });

export const CellResult = z
  .object({
    execution_id: z.string(),
    language: z.string(),
    code: z.string(),
    status: z.enum(['running', 'ok', 'error', 'timeout', 'lost']).meta({ id: 'CellStatus' }),
    execution_count: z.int().nullable(),
    exit_code: z.int().nullable(),
    signal: z.string().nullable(),
    oom_killed: z.boolean().nullable().meta({
      description: 'true: the memory limit killed the interpreter, or a process that the cell had started.',
    }),
    oom_process: z.string().nullable().meta({ description: 'The program that was killed last, if known.' }),
    outputs: z.array(NotebookOutput),
    stdout: z.string(),
    stderr: z.string(),
    session_id: z.string().nullable(),
    kernel_name: z.string().nullable(),
    warnings: z.array(z.string()),
    waiting_for_input: z
      .object({ prompt: z.string(), password: z.boolean() })
      .nullable()
      .meta({ description: 'The prompt of input() or getpass() that waits for an answer.' }),
    started_at: z.date(),
    ended_at: z.date().nullable(),
  })
  .meta({ id: 'CellResult' });

export const ExecutionQuery = z.object({
  offset: queryNumber(z.int().min(0)).prefault(0).meta({ description: 'Number of the first output to read.' }),
  limit: queryNumber(z.int().min(1).max(50_000)).prefault(50_000),
  wait: QueryFlag.default(false).meta({ description: 'Returns when there is an output, or the cell has ended.' }),
  wait_timeout: queryNumber(z.number().min(0).max(60)).prefault(30),
  stream: QueryFlag.default(false).meta({ description: 'As Accept: application/x-ndjson.' }),
});

export const ExecutionOutputs = z
  .object({
    execution_id: z.string(),
    outputs: z.array(NotebookOutput),
    offset: z.int().meta({ description: 'Where to continue.' }),
    first_offset: z.int().meta({ description: 'Number of the first output that is kept.' }),
    status: CellResult.shape.status,
    execution: CellResult.omit({ outputs: true, stdout: true, stderr: true }),
  })
  .meta({ id: 'ExecutionOutputs' });

export const CodeSession = z
  .object({
    session_id: z.string(),
    language: z.string(),
    kernel_name: z.string().nullable(),
    working_dir: z.string(),
    user: z.string(),
    pid: z.int(),
    state: z.enum(['idle', 'busy']),
    created_at: z.date(),
    last_used_at: z.date(),
    max_idle_seconds: z.number(),
    execution_count: z.int(),
  })
  .meta({ id: 'CodeSession' });

export const CreateCodeSession = z
  .object({
    language: Text.min(1).max(128).default('python'),
    id: SessionId.optional(),
    session_id: SessionId.optional().meta({ description: 'The same as id.' }),
    kernel_name: Text.min(1).max(128).optional(),
    version: Text.min(1).max(128).optional(),
    cwd: WorkingDirectory.optional(),
    env: StringMap.optional(),
    user: Account.optional(),
    max_idle_seconds: z.number().min(1).max(86_400).optional(),
  })
  .meta({ id: 'CreateCodeSession', example: { language: 'python', id: 'analysis' } });

export const CodeInfo = z
  .object({
    languages: z.array(
      z.object({
        language: z.string(),
        aliases: z.array(z.string()),
        description: z.string(),
        version: z.string().nullable(),
        details: z.record(z.string(), z.unknown()),
        max_sessions: z.int(),
        session_timeout_seconds: z.number(),
      }),
    ),
    default_timeout: z.number(),
    max_timeout: z.number(),
  })
  .meta({ id: 'CodeInfo' });
