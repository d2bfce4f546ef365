import type { Stack } from '@calls/local-stack/stack';
import { distributionOf, type Distribution } from '../bench/distribution.ts';
import { Api } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import type { DrillCaller, DrillMedium } from './callers/drill-caller.ts';
import { openPhones, type DrillPhones } from './callers/sip-caller.ts';
import { callByWebRtc } from './callers/webrtc-caller.ts';
import { callByWebSocket } from './callers/websocket-caller.ts';

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

/** The calls of a drill, of several media. All methods throw if a call that has not ended does not continue. */
export class DrillCalls implements AsyncDisposable {
  readonly #api: Api;
  readonly #phones: DrillPhones;
  readonly #callers: DrillCaller[] = [];

  private constructor(api: Api, phones: DrillPhones) {
    this.#api = api;
    this.#phones = phones;
  }

  static async open(stack: Stack): Promise<DrillCalls> {
    return new DrillCalls(new Api(stack), await openPhones());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#phones[Symbol.asyncDispose]();
  }

  get #live(): DrillCaller[] {
    return this.#callers.filter(({ lost }) => lost === null);
  }

  get callIds(): string[] {
    return this.#callers.map(({ callId }) => callId);
  }

  /** How many of the calls have not ended. */
  get summary(): string {
    return `${this.#live.length} of ${this.#callers.length} calls are live`;
  }

  /** Adds calls, divided among the media. Resolves when all agents have spoken. */
  async place(count: number, media: readonly DrillMedium[]): Promise<void> {
    const place = {
      websocket: () => callByWebSocket(this.#api, SETTINGS),
      webrtc: () => callByWebRtc(this.#api, SETTINGS),
      sip: () => this.#phones.call(this.#api, SETTINGS),
    };
    for (let i = 0; i < count; i += 1)
      this.#callers.push(await place[media[i % media.length] ?? 'websocket']());
    await this.audible();
  }

  /** Resolves when every agent was audible after the last move of its call. */
  audible(): Promise<void> {
    return audible(this.#live);
  }

  /** Makes all agents speak. */
  async speak(): Promise<void> {
    await Promise.all(this.#live.map((each) => speaks(this.#api, each)));
  }

  /** Resolves when all agents have responded to a question. */
  async respond(question: string): Promise<void> {
    await Promise.all(this.#live.map((each) => responds(this.#api, each, question)));
  }

  /** Hangs up all calls. */
  async report(say: (line: string) => void): Promise<DrillRow[]> {
    const outcomes = await Promise.all(
      this.#callers.map(async (caller) => {
        const { callId, medium, lost } = caller;
        if (lost === null) await caller.hangUp();
        const { endReason } = await this.#api.endedCall(callId);
        const isEarly = lost !== null || endReason !== 'hangup';
        if (isEarly) say(`${medium} call ${callId} ended early: ${lost ?? ''}; ${endReason}`);
        return { caller, isEarly };
      }),
    );
    return [...new Set(this.#callers.map(({ medium }) => medium))].map((medium) => {
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
