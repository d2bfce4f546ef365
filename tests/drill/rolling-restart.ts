import type { Stack } from '@calls/local-stack/stack';
import { distributionOf, type Distribution } from '../bench/distribution.ts';
import { serviceOf } from '../chaos/faults.ts';
import { Api } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import type { DrillCaller, DrillMedium } from './callers/drill-caller.ts';
import { openPhones } from './callers/sip-caller.ts';
import { callByWebRtc } from './callers/webrtc-caller.ts';
import { callByWebSocket } from './callers/websocket-caller.ts';
import type { DrillOptions } from './drill-options.ts';

export interface DrillRow {
  medium: DrillMedium;
  calls: number;
  /** How often a call moved to another worker. */
  moves: number;
  endedEarly: number;
  silentMs: Distribution;
}

const SETTINGS = {
  systemPrompt: 'You are the receptionist of a small hotel by the sea.',
  voice: 'alloy',
  maxDuration: '7200s',
  firstSpeakerSettings: { agent: { text: 'Good morning, this is Ada.' } },
};
/** So that the agent speaks while its worker stops. The AI stand-in repeats the last words of a message. */
const LONG_QUESTION = 'please tell me everything that you know about the harbour'.split(' ').join(' - ');

/**
 * Restarts the processes of the services one after the other, under calls of several media. All agents speak when a
 * media worker stops. After each round, every agent must respond to a question. Throws if a call that has not ended
 * does not continue.
 */
export async function runRollingRestart(
  stack: Stack,
  { rounds, calls, media, services }: Pick<DrillOptions, 'calls' | 'media' | 'rounds' | 'services'>,
  say: (line: string) => void,
): Promise<DrillRow[]> {
  const api = new Api(stack);
  await using phones = await openPhones();
  const place = {
    websocket: () => callByWebSocket(api, SETTINGS),
    webrtc: () => callByWebRtc(api, SETTINGS),
    sip: () => phones.call(api, SETTINGS),
  };
  const callers: DrillCaller[] = [];
  for (let i = 0; i < calls; i += 1) callers.push(await place[media[i % media.length] ?? 'websocket']());
  const live = (): DrillCaller[] => callers.filter(({ lost }) => lost === null);
  await audible(live());
  for (let round = 1; round <= rounds; round += 1) {
    for (const [name, process] of stack.processes) {
      const service = serviceOf(name);
      if (!services.some((each) => each === service)) continue;
      if (service === 'media-worker') await Promise.all(live().map((each) => speaks(api, each)));
      await process.restart();
      await audible(live());
      say(`round ${round}: restarted ${name}; ${live().length} of ${calls} calls are live`);
    }
    await Promise.all(live().map((each) => responds(api, each, `this is question number ${round}`)));
  }
  return await report(api, callers, say);
}

export function drillTable(rows: readonly DrillRow[]): string {
  return [
    '| medium | calls | moves | ended early | agent silent p50, ms | p99 | max |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...rows.map(({ medium, calls, moves, endedEarly, silentMs: { p50, p99, max } }) => {
      const cells = [medium, calls, moves, endedEarly, ...[p50, p99, max].map((ms) => Math.round(ms))];
      return `| ${cells.join(' | ')} |`;
    }),
  ].join('\n');
}

async function report(
  api: Api,
  callers: readonly DrillCaller[],
  say: (line: string) => void,
): Promise<DrillRow[]> {
  const outcomes = await Promise.all(
    callers.map(async (caller) => {
      const { callId, medium, lost } = caller;
      if (lost === null) await caller.hangUp();
      const { endReason } = await api.endedCall(callId);
      const isEarly = lost !== null || endReason !== 'hangup';
      if (isEarly) say(`${medium} call ${callId} ended early: ${lost ?? ''}; ${endReason}`);
      return { caller, isEarly };
    }),
  );
  return [...new Set(callers.map(({ medium }) => medium))].map((medium) => {
    const those = outcomes.filter(({ caller }) => caller.medium === medium);
    const silences = those.flatMap(({ caller }) => caller.agent.silencesMs);
    return {
      medium,
      calls: those.length,
      moves: silences.length,
      endedEarly: those.filter(({ isEarly }) => isEarly).length,
      silentMs: distributionOf(silences),
    };
  });
}

/** Resolves when every agent was audible after the last move of its call, or the call is lost. */
async function audible(callers: readonly DrillCaller[]): Promise<void> {
  await Promise.all(
    callers.map(({ medium, callId, agent, lost }) =>
      eventually(() => {
        if (lost === null && !agent.isAudible)
          throw new Error(`the agent of ${medium} call ${callId} is silent`);
      }),
    ),
  );
}

/** Makes the agent speak. */
async function speaks(api: Api, caller: DrillCaller): Promise<void> {
  caller.agent.restart();
  await write(api, caller, LONG_QUESTION);
  await audible([caller]);
}

async function responds(api: Api, caller: DrillCaller, question: string): Promise<void> {
  await write(api, caller, question);
  await eventually(async () => {
    if (caller.lost !== null) return;
    const texts = (await api.messages(caller.callId)).flatMap(({ role, text }) =>
      role === 'MESSAGE_ROLE_AGENT' ? [text] : [],
    );
    if (!texts.some((text) => text?.includes(question)))
      throw new Error(`the agent of ${caller.medium} call ${caller.callId} did not respond to ${question}`);
  });
}

/** Repeats a message while the client is reconnecting. */
async function write(api: Api, caller: DrillCaller, text: string): Promise<void> {
  await eventually(async () => {
    if (caller.lost !== null) return;
    const body = { type: 'user_text_message', text, urgency: 'immediate' };
    const { status } = await api.request('POST', `/api/calls/${caller.callId}/send_data_message`, body);
    if (status >= 300) throw new Error(`send_data_message was answered ${status}`);
  });
}
