import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { ToolImplementation } from '@calls/client';
import { ClientTools } from './client-tools.ts';

const showCard = { name: 'showCard', definition: { client: {}, timeout: '20s' } };
const lookUp = { name: 'lookUp', definition: { http: {} } };

/** The tools of a call, and the implementations registered with the SDK. */
function registered() {
  const onChange = jest.fn();
  const tools = new ClientTools(onChange);
  const implementations = new Map<string, ToolImplementation | null>();
  tools.register({ registerToolImplementation: (name, run) => void implementations.set(name, run) }, [
    showCard,
    lookUp,
  ]);
  const call = (parameters = {}): Promise<unknown> =>
    Promise.resolve(implementations.get('showCard')?.(parameters));
  return { tools, call, onChange, names: [...implementations.keys()] };
}

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

describe('ClientTools', () => {
  it('registers only the tools of the agent that run in the client', () => {
    expect(registered().names).toEqual(['showCard']);
  });

  it('shows the parameters of a call, and returns the result that the person enters', async () => {
    const { tools, call, onChange } = registered();
    const answered = call({ title: 'Breakfast' });
    expect(tools.invocations).toMatchObject([
      { id: 0, name: 'showCard', parameters: { title: 'Breakfast' }, timeoutMs: 20_000, outcome: 'waiting' },
    ]);
    tools.answer(0, { result: 'seen', agentReaction: 'listens' });
    expect(await answered).toEqual({ result: 'seen', agentReaction: 'listens' });
    expect(tools.invocations[0]?.outcome).toBe('answered');
    expect(onChange).toHaveBeenCalledTimes(2);
  });

  it('rejects a call that the person marks as failed', async () => {
    const { tools, call } = registered();
    const failed = expect(call()).rejects.toThrow('failed in the console');
    tools.fail(0);
    await failed;
    expect(tools.invocations[0]?.outcome).toBe('failed');
  });

  it('expires after the timeout of the tool', async () => {
    const { tools, call } = registered();
    const answered = call();
    jest.advanceTimersByTime(19_999);
    expect(tools.invocations[0]?.outcome).toBe('waiting');
    jest.advanceTimersByTime(1);
    expect(tools.invocations[0]?.outcome).toBe('expired');
    expect(await answered).toBeUndefined();
    tools.answer(0, { result: 'late', agentReaction: 'speaks' });
    expect(tools.invocations[0]?.outcome).toBe('expired');
  });

  it('expires all calls at the end of the call', () => {
    const { tools, call } = registered();
    void call();
    void call();
    tools.expireAll();
    expect(tools.invocations.map(({ outcome }) => outcome)).toEqual(['expired', 'expired']);
  });
});
