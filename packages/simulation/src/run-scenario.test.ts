import { describe, expect, it } from '@jest/globals';
import type { TestScenario } from '@calls/api-contract/rest/test-scenario';
import type { LanguageModel } from '@calls/engine-ports/language-model';
import type { Clock } from '@calls/foundation/clock';
import { silentLogger } from '@calls/foundation/logger';
import { VIRTUAL_EPOCH_MS } from '@calls/foundation/virtual-clock';
import { inProcessChecksOf } from '@calls/testkit/in-process-checks';
import { IS_LONG_FORM } from '@calls/testkit/long-form';
import {
  ScriptedLanguageModel,
  type Script,
  type ScriptedCalls,
} from '@calls/testkit/scripted/scripted-providers';
import { parseTemplate, type TestedAgent } from './agent/agent-call.ts';
import { textMode } from './call/modes.ts';
import { runScenario, type ScenarioDeps, type ScenarioResult } from './run-scenario.ts';

type Replies = Script<string | ScriptedCalls>[];

const checks = inProcessChecksOf('test');
const GREETING = 'Good evening, this is the flower shop in the old town. How can I help you today?';

async function agentWith(settings: object = {}): Promise<TestedAgent> {
  const template = await parseTemplate({ systemPrompt: 'You sell flowers.', ...settings }, checks);
  return { name: 'shop', template, tools: [] };
}

function depsWith(languageModel: (clock: Clock) => LanguageModel): ScenarioDeps {
  return {
    accountId: 'test',
    mode: textMode,
    languageModel,
    callerModel: null,
    urls: { assertAllowedUrl: (url) => new URL(url) },
    mcpTools: { toolsOf: () => Promise.resolve([]) },
    checksOf: inProcessChecksOf,
    wallMs: VIRTUAL_EPOCH_MS,
    log: silentLogger,
  };
}

/** Plays the scenario with an agent that gives these responses, the greeting first. */
async function play(
  scenario: Omit<TestScenario, 'name'>,
  replies: Replies,
  settings: object = {},
): Promise<ScenarioResult> {
  const deps = depsWith((clock) => new ScriptedLanguageModel(clock, 250, [...replies]));
  return runScenario(await agentWith(settings), { name: 'test', ...scenario }, deps);
}

const textsOf = ({ record }: ScenarioResult): string[] =>
  (record?.lines ?? []).map(({ who, text }) => `${who}: ${text}`);

const ORDER_TOOL = {
  temporaryTool: {
    modelToolName: 'order',
    description: 'Orders flowers.',
    dynamicParameters: [{ name: 'count', schema: { type: 'integer' }, required: true }],
    requirements: {
      httpSecurityOptions: { options: [{ requirements: { key: { headerApiKey: { name: 'X-Key' } } } }] },
    },
    http: { baseUrlPattern: 'https://shop.example.com/orders', httpMethod: 'POST' },
  },
};

describe('runScenario', () => {
  it('speaks each line of the script once the agent has finished', async () => {
    const script = [{ agentSays: 'help you today' }, { say: 'I want roses.' }, { say: 'Red ones.' }];
    const result = await play({ caller: { script } }, [GREETING, 'Which colour?', 'Fine.']);
    expect(result.findings).toEqual([]);
    expect(textsOf(result)).toEqual([
      `agent: ${GREETING}`,
      'caller: I want roses.',
      'agent: Which colour?',
      'caller: Red ones.',
      'agent: Fine.',
    ]);
    expect(result.record).toMatchObject({ endReason: 'hangup', interruptions: 0, errors: [] });
  });

  it('interrupts the agent after the given words and cuts the rest of its response', async () => {
    const script = [{ interrupt: { after: 'flower shop', say: 'I want roses.' } }];
    const result = await play({ caller: { script }, expect: { interruptions: 1 } }, [GREETING, 'Fine.']);
    expect(result.status).toBe('passed');
    // The agent is ducked first, and not silent immediately.
    expect(textsOf(result)).toEqual([
      'agent: Good evening, this is the flower shop in the old',
      'caller: I want roses.',
      'agent: Fine.',
    ]);
  });

  it('fails when the agent does not say the words to interrupt', async () => {
    const script = [{ interrupt: { after: 'fruit shop', say: 'I want roses.' } }];
    const { status, findings } = await play({ caller: { script } }, ['Hello.']);
    expect({ status, findings }).toEqual({
      status: 'failed',
      findings: [
        { path: 'caller', message: 'step 1 of the script: the agent did not say "fruit shop" but "Hello."' },
      ],
    });
  });

  it('says which engine failed when a scenario fails', async () => {
    const script = [{ agentSays: 'flower shop' }];
    const { findings } = await play({ caller: { script } }, ['fail', 'fail', 'fail']);
    expect(findings[0]).toEqual({ path: 'call', message: 'response_error: scripted: generation failed' });
  });

  it('passes when an engine fails and the agent recovers', async () => {
    const script = [{ agentSays: 'went wrong' }, { say: 'Hello?' }, { agentSays: 'flower shop' }];
    const { status, record } = await play({ caller: { script } }, ['fail', GREETING]);
    expect({ status, errors: record?.engineErrors }).toEqual({
      status: 'passed',
      errors: ['response_error: scripted: generation failed'],
    });
  });

  it('fails when the call ends before the end of the script', async () => {
    const script = [{ say: 'Goodbye.' }, { say: 'Wait.' }];
    const bye = { say: 'Bye.', call: [{ name: 'hangUp', arguments: {} }] };
    const settings = { selectedTools: [{ toolName: 'hangUp' }] };
    const { findings, record } = await play({ caller: { script } }, ['Hello.', bye], settings);
    expect(record?.endReason).toBe('agent_hangup');
    expect(findings.map(({ message }) => message)).toEqual([
      'step 2 of the script: the call ended before the caller could {"say":"Wait."}',
    ]);
  });

  it('returns the stubbed results of a tool in order', async () => {
    const order = (count: number): ScriptedCalls => ({ call: [{ name: 'order', arguments: { count } }] });
    const script = [{ say: 'Seven roses.' }, { say: 'Try again.' }];
    const result = await play(
      {
        caller: { script },
        tools: {
          order: [
            { error: 'sold out' },
            { result: { id: 17 }, updateCallState: { orderId: 17 }, delay: '1s' },
          ],
        },
        expect: { tools: [{ name: 'order', arguments: { count: 7 }, times: 2 }], state: { orderId: 17 } },
      },
      ['Hello.', order(7), 'It failed.', order(7), 'Done.'],
      { selectedTools: [ORDER_TOOL] },
    );
    expect(result.findings).toEqual([]);
    expect(textsOf(result)).toContain('tool result: {"id":17}');
    expect(textsOf(result)).toContain('tool result: Error: the tool failed');
  });

  it('fails when a tool without a stub is called', async () => {
    const replies: Replies = ['Hello.', { call: [{ name: 'order', arguments: { count: 7 } }] }, 'It failed.'];
    const { findings } = await play({ caller: { script: [{ say: 'Seven.' }] } }, replies, {
      selectedTools: [ORDER_TOOL],
    });
    expect(findings).toEqual([{ path: 'caller', message: 'the scenario has no stub for the tool order' }]);
  });

  it('presses keys, sends text and stays silent as scripted', async () => {
    const settings = {
      medium: { telephony1: {} },
      inactivityMessages: [{ duration: '5s', message: 'Are you there?' }],
    };
    const script = [
      { press: '12#' },
      { type: 'and roses' },
      { silence: '6s' },
      { agentSays: 'Are you there?' },
    ];
    const result = await play({ caller: { script } }, ['Hello.', 'Twelve?', 'Roses.'], settings);
    expect(result.findings).toEqual([]);
    expect(textsOf(result)).toEqual([
      'agent: Hello.',
      'caller: 12#',
      'agent: Twelve?',
      'caller: and roses',
      'agent: Roses.',
      'agent: Are you there?',
    ]);
  });

  it('fails when the caller of a web call presses keys', async () => {
    expect(await play({ caller: { script: [{ press: '1' }] } }, ['Hello.'])).toMatchObject({
      status: 'failed',
      findings: [
        {
          path: 'caller',
          message: 'step 1 of the script: only phone calls have keys; set call.medium to phone',
        },
      ],
    });
  });

  it('skips scenarios whose caller needs a language model when none is configured', async () => {
    expect(await play({ caller: { goal: 'Buy roses.' } }, [])).toMatchObject({
      status: 'skipped',
      findings: [{ path: 'caller.goal', message: 'needs a language model; set LLM_BASE_URL' }],
    });
  });

  it('plays the caller with a language model and has it judge the call after all other checks', async () => {
    const callers = new ScriptedLanguageModel({ nowMs: () => 0, wallMs: () => 0, setTimer: immediately }, 0, [
      'I want roses.',
      { say: 'Thank you, bye.', call: [{ name: 'hang_up', arguments: {} }] },
      {
        call: [
          {
            name: 'report',
            arguments: {
              verdicts: [
                { isTrue: true, reason: 'Yes.' },
                { isTrue: false, reason: 'It was short.' },
              ],
            },
          },
        ],
      },
    ]);
    const deps = {
      ...depsWith((clock) => new ScriptedLanguageModel(clock, 250, ['Hello.', 'Which colour?', 'Bye.'])),
      callerModel: { name: 'test', languageModel: callers },
    };
    const scenario = {
      name: 'test',
      caller: { goal: 'Buy roses.', persona: 'A hurried man.' },
      expect: { says: ['colour'], judge: ['The agent is kind.', 'The agent is talkative.'] },
    };
    const result = await runScenario(await agentWith(), scenario, deps);
    expect(textsOf(result)).toEqual([
      'agent: Hello.',
      'caller: I want roses.',
      'agent: Which colour?',
      'caller: Thank you, bye.',
      'agent: Bye.',
    ]);
    expect(result.findings).toEqual([
      { path: 'expect.judge.1', message: '"The agent is talkative.": It was short.' },
    ]);
    expect(JSON.stringify(callers.requests[0]?.messages)).toContain('A hurried man.');
  });

  it.each<[ScriptedCalls | string, string]>([
    ['It is kind.', 'the judge did not call the tool report'],
    [{ call: [{ name: 'report', arguments: {} }] }, 'the verdicts of the judge cannot be read: '],
  ])('says that the judge gave no verdicts: %j', async (answer, message) => {
    const clock = { nowMs: () => 0, wallMs: () => 0, setTimer: immediately };
    const languageModel = new ScriptedLanguageModel(clock, 0, [answer]);
    const deps = {
      ...depsWith((agentClock) => new ScriptedLanguageModel(agentClock, 250, ['Hello.'])),
      callerModel: { name: 'test', languageModel },
    };
    const scenario = { name: 'test', caller: { script: [] }, expect: { judge: ['The agent is kind.'] } };
    expect(await runScenario(await agentWith(), scenario, deps)).toMatchObject({
      status: 'error',
      findings: [{ path: '', message: expect.stringContaining(message) }],
    });
  });

  it.each<[string, TestScenario['caller']]>([
    ['in the middle of a script', { script: [{ say: 'Hello.' }, { silence: '600s' }] }],
    ['while the model of the caller does not respond', { goal: 'Buy roses.' }],
  ])('ends when its signal aborts %s', async (_when, caller) => {
    const stop = new AbortController();
    const abort = (): void => stop.abort(new Error('the time is over'));
    const clocks: Clock[] = [];
    const silent = new ScriptedLanguageModel({ nowMs: () => 0, wallMs: () => 0, setTimer: immediately }, 0, [
      'never',
    ]);
    const languageModel: LanguageModel = {
      acceptsAudio: () => false,
      respond(request, signal) {
        setImmediate(abort);
        return silent.respond(request, signal);
      },
    };
    const deps = {
      ...depsWith((clock) => {
        clocks.push(clock);
        clock.setTimer(10_000, abort);
        return new ScriptedLanguageModel(clock, 250, ['Hello.', 'Which colour?']);
      }),
      callerModel: { name: 'test', languageModel },
      signal: stop.signal,
    };
    expect(await runScenario(await agentWith(), { name: 'test', caller }, deps)).toMatchObject({
      status: 'error',
      findings: [{ path: '', message: 'the time is over' }],
    });
    expect(clocks[0]?.nowMs()).toBeLessThan(20_000);
    expect(silent.running).toBe(0);
  });

  it('reports regular expressions that cannot be used, instead of passing', async () => {
    const wanted = { neverSays: ['price', '/price(?= list)/'], state: { colour: ['/(red/'] } };
    const result = await play({ caller: { script: [{ agentSays: '/[/' }] }, expect: wanted }, [
      'The price list.',
    ]);
    const message = expect.stringMatching(/^must be a regular expression without look-around/u);
    expect(result).toMatchObject({
      status: 'error',
      findings: [
        { path: 'caller.script.0.agentSays', message },
        { path: 'expect.neverSays.1', message },
        { path: 'expect.state.colour.0', message },
      ],
    });
  });

  it('reports template variables that the scenario does not define', async () => {
    const result = await play({ caller: { script: [] } }, [], { systemPrompt: 'You are {{name}}.' });
    expect(result).toMatchObject({ status: 'error', findings: [{ path: 'templateContext.name' }] });
  });

  it('plays a scenario the same way each time', async () => {
    const script = [{ interrupt: { after: 'flower shop', say: 'I want seven roses.' } }, { silence: '1s' }];
    const order: ScriptedCalls = { say: 'One moment.', call: [{ name: 'order', arguments: { count: 7 } }] };
    const once = async (): Promise<string> => {
      const { status, record } = await play(
        { caller: { script }, tools: { order: { result: 'ok' } } },
        [GREETING, order, 'Seven roses are ordered.'],
        { selectedTools: [ORDER_TOOL] },
      );
      return JSON.stringify({ status, record });
    };
    const first = await once();
    expect(first).toContain('passed');
    const outcomes = new Set<string>();
    for (let i = 0; i < (IS_LONG_FORM ? 10_000 : 200); i += 1) outcomes.add(await once());
    expect([...outcomes]).toEqual([first]);
  });
});

function immediately(_delayMs: number, fire: () => void) {
  const handle = setImmediate(fire);
  return { cancel: () => clearImmediate(handle) };
}
