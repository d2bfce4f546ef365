import type { TestScenario } from '@calls/api-contract/rest/test-scenario';
import { delay, type Clock } from '@calls/foundation/clock';
import { AppError } from '@calls/foundation/errors';
import type { ChecksOf } from '@calls/untrusted-work/untrusted-checks';
import { AgentWatch } from '../call/agent-watch.ts';
import { Caller, type CallerCall } from '../call/caller.ts';
import { CallerVoice } from '../call/caller-voice.ts';
import { AudioQueue } from '../call/modes.ts';
import type { SimulatedCall } from '../call/simulated-call.ts';
import { LINE_RATE_HZ } from '../call/spoken-words.ts';
import { ToolStubs } from '../call/tool-stubs.ts';
import { textMatches } from '../check/text-match.ts';
import { dataOf, withService, type ServiceAddress } from '../cli/service.ts';
import { LiveLine } from './live-line.ts';
import { recordOf } from './live-record.ts';

export interface LiveDeps {
  service: ServiceAddress;
  checksOf: ChecksOf;
  clock: Clock;
}

const STEP_MS = 20;
const ACCOUNT_ID = 'local';

/** Why a scenario cannot be played by a server WebSocket call; null if it can. */
export function notLive({ call, caller: { script = [] }, expect }: TestScenario): string | null {
  const isPhone = call?.medium === 'phone' || expect?.transferTo !== undefined;
  if (isPhone || script.some(({ press }) => press !== undefined))
    return 'needs a phone call; live callers join by WebSocket';
  return null;
}

/** Calls an agent of a running service in real time. Tools are those of the service; client tools are stubs. */
export async function callRunningService(
  agentId: string,
  scenario: TestScenario,
  play: (caller: Caller, call: CallerCall) => Promise<string | null>,
  { service, checksOf, clock }: LiveDeps,
): Promise<SimulatedCall> {
  const created = await withService(service, async (client) =>
    dataOf(
      await client.POST('/api/agents/{agent_id}/calls', {
        params: { path: { agent_id: agentId } },
        body: {
          medium: { serverWebSocket: { inputSampleRate: LINE_RATE_HZ } },
          ...(scenario.call?.templateContext && { templateContext: scenario.call.templateContext }),
        },
      }),
    ),
  );
  const { callId, joinUrl, firstSpeaker } = created;
  if (joinUrl === null) throw new AppError('join_failed', `call ${callId} has no join URL`);
  const { signal } = new AbortController();
  const voice = new CallerVoice(scenario.caller);
  const speech = new AudioQueue();
  const agent = new AgentWatch();
  const stubs = new ToolStubs(scenario.tools, clock, (result) => line.send(result));
  const line: LiveLine = await LiveLine.connect({
    joinUrl,
    clock,
    microphone: (samples) => voice.withNoise(speech.read(samples)),
    onMessage: (message) => {
      agent.onMessage(message, clock.nowMs());
      if (message.type === 'client_tool_invocation') stubs.invoke(message);
    },
  });
  const call: CallerCall = {
    agent,
    nowMs: () => clock.nowMs(),
    isOver: () => line.isClosed,
    pass: (ms) => delay(clock, ms, signal),
    speak: async (words) => {
      speech.push(await voice.speak(words));
      while (!speech.isEmpty && !line.isClosed) await delay(clock, STEP_MS, signal);
    },
    write: (text) => line.send({ type: 'user_text_message', text }),
    press: null,
    hangUp: () => line.hangUp(),
    matches: (text, match) => textMatches(text, match, checksOf(ACCOUNT_ID)),
  };
  const caller = new Caller(call, firstSpeaker === 'FIRST_SPEAKER_AGENT');
  try {
    const problem = await play(caller, call);
    if (problem === null) await caller.listen();
    line.hangUp();
    const record = await withService(service, (client) => recordOf(client, callId, clock));
    const [missing] = [...stubs.missing].map((name) => `the scenario has no stub for the tool ${name}`);
    return { record, problem: problem ?? missing ?? null, recording: null };
  } finally {
    line.hangUp();
  }
}
