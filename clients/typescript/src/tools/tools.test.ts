import { expect, test } from 'vitest';
import { TestSandbox } from '../client.fixture.ts';

test('[client.tools] the tools of the sandbox in the forms of Anthropic, OpenAI, the AI SDK and MCP', async () => {
  await using it = await TestSandbox.start();
  const anthropic = await it.sandbox.tools('anthropic');
  const bash = anthropic.definitions.find(({ name }) => name === 'sandbox_execute_bash');
  expect(bash).toMatchObject({ description: expect.any(String), input_schema: { type: 'object' } });
  const done = await anthropic.call('sandbox_execute_bash', { cmd: 'echo hi' });
  expect(done).toMatchObject({ is_error: false, content: [{ type: 'text', text: expect.stringContaining('hi') }] });
  expect(await anthropic.call('sandbox_execute_bash', {})).toMatchObject({ is_error: true });
  const openai = await it.sandbox.tools('openai');
  expect(openai.definitions[0]).toMatchObject({ type: 'function', function: { parameters: { type: 'object' } } });
  expect(await openai.call('sandbox_execute_bash', '{"cmd": "echo hi"}')).toContain('hi');
  const ai = await it.sandbox.tools('ai-sdk');
  expect(await ai['sandbox_execute_bash']?.execute({ cmd: 'echo hi' })).not.toMatchObject({ isError: true });
  await expect(openai.call('no_such_tool', {})).rejects.toThrow('no_such_tool');
  expect(await it.sandbox.tools('mcp')).toEqual({ url: `${it.proxy.url}/mcp`, headers: {} });
});
