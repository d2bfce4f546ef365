import { describe, expect, it } from '@jest/globals';
import type { CallError } from './call-error.ts';
import type { ToolImplementation, ToolOutcome } from './application-types.ts';
import { Tools } from './tools.ts';

const invocation = {
  type: 'client_tool_invocation',
  toolName: 'show',
  invocationId: 'i1',
  parameters: { page: 3 },
} as const;

async function run(implementation?: ToolImplementation) {
  const tools = new Tools();
  if (implementation) tools.register('show', implementation);
  const failures: CallError[] = [];
  const answer = await tools.run(invocation, (error) => failures.push(error));
  return { answer, failures };
}

describe('Tools', () => {
  it('passes the parameters to the tool, and responds with its string or an empty result', async () => {
    const { answer } = await run(({ page }) => `page ${String(page)}`);
    expect(answer).toEqual({ type: 'client_tool_result', invocationId: 'i1', result: 'page 3' });
    expect((await run(() => undefined)).answer).toMatchObject({ result: '' });
    expect((await run(() => JSON.parse('null') as ToolOutcome)).answer).toMatchObject({ result: '' });
  });

  it('responds with an error for a tool that was removed', async () => {
    const tools = new Tools();
    tools.register('show', () => 'page 3');
    tools.register('show', null);
    expect(await tools.run(invocation, () => undefined)).toMatchObject({ errorType: 'undefined' });
  });

  it('passes on the known fields of an object that a tool returns, and drops others', async () => {
    const answer = {
      result: '{"systemPrompt":"New."}',
      responseType: 'new-stage',
      agentReaction: 'listens',
      updateCallState: { cart: [1] },
    } as const;
    expect((await run(() => Promise.resolve({ ...answer, type: 'x', invocationId: 'y' }))).answer).toEqual({
      type: 'client_tool_result',
      invocationId: 'i1',
      ...answer,
    });
  });

  it('responds with an error when a tool throws or rejects, and reports it to the page', async () => {
    const fails = [
      () => {
        throw new TypeError('no such page');
      },
      () => Promise.reject(new Error('no such page')),
    ];
    for (const fail of fails) {
      const { answer, failures } = await run(fail);
      expect(answer).toEqual({
        type: 'client_tool_result',
        invocationId: 'i1',
        errorType: 'implementation-error',
        errorMessage: 'no such page',
      });
      expect(failures).toMatchObject([{ code: 'tool_failed', cause: { message: 'no such page' } }]);
    }
  });

  it('responds with an error when a tool returns an invalid result', async () => {
    const { answer, failures } = await run(() => JSON.parse('{"result":5}') as ToolOutcome);
    expect(answer).toMatchObject({ errorType: 'implementation-error' });
    expect(failures).toHaveLength(1);
  });

  it('responds with an error when a tool returns more than the service accepts', async () => {
    for (const result of ['a'.repeat(65_537), { updateCallState: { notes: 'a'.repeat(262_144) } }]) {
      const { answer, failures } = await run(() => result);
      expect(answer).toMatchObject({ errorType: 'implementation-error' });
      expect(failures).toMatchObject([{ code: 'tool_failed', cause: { code: 'message_too_large' } }]);
    }
  });

  it('responds with an error when the tool is unknown', async () => {
    const { answer, failures } = await run();
    expect(answer).toMatchObject({ invocationId: 'i1', errorType: 'undefined' });
    expect(failures).toHaveLength(1);
  });

  it('runs a tool once when its invocation is repeated in the meantime', async () => {
    const tools = new Tools();
    const done = Promise.withResolvers<string>();
    let runs = 0;
    tools.register('show', () => {
      runs += 1;
      return done.promise;
    });
    const first = tools.run(invocation, () => undefined);
    expect(await tools.run(invocation, () => undefined)).toBeNull();
    done.resolve('shown');
    expect(await first).toMatchObject({ result: 'shown' });
    expect(runs).toBe(1);
  });
});
