import type { Page } from '@calls/api-contract/rest/common';
import type { Message } from '@calls/api-contract/rest/message';
import { toError } from '@calls/foundation/errors';
import type { Stack } from '@calls/local-stack/stack';
import { distributionOf, type Distribution } from '../bench/distribution.ts';
import { Api } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { markdownTable } from '../support/markdown-table.ts';
import { callFindings } from './call-findings.ts';
import type { AfterLoss, DrillCaller, DrillMedium } from './callers/drill-caller.ts';
import type { TelephoneNetwork } from './callers/phone-caller.ts';
import { openPhones, type DrillPhones } from './callers/sip-caller.ts';
import { callByWebRtc } from './callers/webrtc-caller.ts';
import { callByWebSocket } from './callers/websocket-caller.ts';

export interface DrillRow {
  medium: DrillMedium;
  calls: number;
  /** Number of times that a call moved to another worker. */
  moves: number;
  endedEarly: number;
  silentMs: Distribution;
}

/** The effect of a loss on a call. */
export interface LossEffect {
  medium: DrillMedium;
  callId: string;
  lost: string | null;
  movedMs: number | null;
  after: AfterLoss;
}

export interface DrillSystem {
  stack: Stack;
  network: TelephoneNetwork;
}

export interface DrillResult {
  rows: DrillRow[];
  /** All problems except early ends of calls. */
  problems: string[];
}

const SETTINGS = {
  systemPrompt: 'You are the receptionist of a small hotel by the sea.',
  voice: 'alloy',
  maxDuration: '7200s',
  firstSpeakerSettings: { agent: { text: 'Good morning, this is Ada.' } },
};
const LONG_SILENCE_MS = 1000;
/** Number of calls that are prompted or checked at the same time. */
const AT_ONCE = 4;
/** The simulated LLM repeats the last eight words, so that the agent speaks for 50 s, longer than a worker drains. */
const LONG_QUESTION = [
  ...[
    'please tell me everything that you know about the harbour',
    'and its lighthouses and fishing boats and sailors',
  ],
  ...[
    'and about the ferries to the islands and their captains',
    'and the fish restaurants beside the old market hall',
  ],
  ...[
    'and about the storms of the last winters and autumns',
    'and the people who lived in the old lighthouse',
  ],
  ...['and the seals that rest on the beach at night', 'and the birds that come back from Africa in spring'],
]
  .map((part) => `${part} and once more ${part}`.replaceAll(' ', '-'))
  .join(' ');

/** Thrown when calls do not continue. */
class CallsFailedError extends Error {
  readonly failures: readonly { caller: DrillCaller; error: Error }[];

  constructor(failures: readonly { caller: DrillCaller; error: Error }[]) {
    super(failures.map(({ error }) => error.message).join('; '));
    this.failures = failures;
  }
}

/** The calls of a drill over several media. All methods throw if a call that has not ended does not continue. */
export class DrillCalls implements AsyncDisposable {
  readonly #stack: Stack;
  readonly #api: Api;
  readonly #network: TelephoneNetwork;
  readonly #phones: DrillPhones;
  readonly #callers: DrillCaller[] = [];
  /** Path of the last read page of messages, by call. */
  readonly #pages = new Map<string, string>();

  private constructor({ stack, network }: DrillSystem, phones: DrillPhones) {
    this.#stack = stack;
    this.#api = new Api(stack);
    this.#network = network;
    this.#phones = phones;
  }

  static async open(system: DrillSystem): Promise<DrillCalls> {
    return new DrillCalls(system, await openPhones());
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

  /** Text with the number of calls that have not ended. */
  get summary(): string {
    return `${this.#live.length} of ${this.#callers.length} calls are live`;
  }

  /** Adds calls, divided among the media. Resolves when all agents have spoken. */
  async place(count: number, media: readonly DrillMedium[]): Promise<void> {
    const place = {
      websocket: () => callByWebSocket(this.#api, SETTINGS),
      webrtc: () => callByWebRtc(this.#api, SETTINGS),
      phone: () => this.#network.call(this.#api, SETTINGS),
      sip: () => this.#phones.call(this.#api, SETTINGS),
    };
    for (let i = 0; i < count; i += 1)
      this.#callers.push(await place[media[i % media.length] ?? 'websocket']());
    await this.#each(audible);
  }

  /**
   * Resolves when every agent was audible after the last move of its call. An agent that was waiting for the user is
   * silent after a planned move, until the user sends a message.
   */
  continued(): Promise<void> {
    return this.#each(async (caller) => {
      if (!caller.agent.isAudible) await this.#write(caller, 'are you still there');
      await audible(caller);
    });
  }

  /** Prompts all agents to speak. */
  speak(): Promise<void> {
    return this.#each(async (caller) => {
      caller.agent.restart();
      await this.#write(caller, LONG_QUESTION);
      await audible(caller);
    });
  }

  /** Resolves when all agents have responded to a question. */
  respond(question: string): Promise<void> {
    return this.#each(async (caller) => {
      await this.#write(caller, question);
      await eventually(async () => {
        if (caller.lost === null && !(await this.#hasResponded(caller, question)))
          throw new Error(
            `the agent of ${caller.medium} call ${caller.callId} did not respond to ${question}`,
          );
      });
    });
  }

  /** Records that a process is lost now, while all agents speak. */
  beginLoss(): void {
    for (const { agent } of this.#live) agent.begin();
  }

  /** Effects of the loss on each call that had not ended before. */
  effects(): LossEffect[] {
    return this.#callers.map(({ medium, callId, lost, agent }) => ({
      ...{ medium, callId, lost, movedMs: agent.movedAfterLossMs, after: agent.afterLoss },
    }));
  }

  /** Runs the steps of a drill until one fails, then hangs up all calls. */
  async measure(say: (line: string) => void, steps: () => Promise<void>): Promise<DrillResult> {
    const problems = await steps().then(
      () => [],
      (thrown: unknown) => this.#problemsOf(thrown),
    );
    return { rows: await this.#report(say), problems };
  }

  async #report(say: (line: string) => void): Promise<DrillRow[]> {
    const outcomes = await Promise.all(
      this.#callers.map(async (caller) => {
        const { callId, medium, lost, agent } = caller;
        for (const { durationMs, endedAt } of agent.silences)
          if (durationMs > LONG_SILENCE_MS)
            say(
              `${medium} call ${callId}: silent for ${Math.round(durationMs)} ms until ${endedAt.toISOString()}`,
            );
        if (lost === null) await caller.hangUp();
        const { endReason } = await this.#api.endedCall(callId);
        const isEarly = lost !== null || endReason !== 'hangup';
        if (isEarly) say(`${medium} call ${callId} ended early: ${lost ?? ''}; ${endReason}`);
        return { caller, isEarly };
      }),
    );
    return [...new Set(this.#callers.map(({ medium }) => medium))].map((medium) => {
      const those = outcomes.filter(({ caller }) => caller.medium === medium);
      const silences = those.flatMap(({ caller }) =>
        caller.agent.silences.map(({ durationMs }) => durationMs),
      );
      return {
        medium,
        calls: those.length,
        moves: those.reduce((sum, { caller }) => sum + caller.agent.moves, 0),
        endedEarly: those.filter(({ isEarly }) => isEarly).length,
        silentMs: distributionOf(silences),
      };
    });
  }

  /** Problems, with diagnostics of the failed calls. */
  async #problemsOf(thrown: unknown): Promise<string[]> {
    if (!(thrown instanceof CallsFailedError)) return [toError(thrown).message];
    return Promise.all(
      thrown.failures.map(async ({ caller: { callId }, error }) =>
        [error.message, ...(await callFindings(this.#stack, this.#api, callId))].join('\n  '),
      ),
    );
  }

  /**
   * Checks a few calls at a time, because checking all at once would overload this machine and make its processes
   * stall.
   */
  async #each(check: (caller: DrillCaller) => Promise<void>): Promise<void> {
    const callers = this.#live;
    const waiting = callers.values();
    const failures: { caller: DrillCaller; error: Error }[] = [];
    const checkWaiting = async (): Promise<void> => {
      for (const caller of waiting)
        await check(caller).catch((thrown: unknown) => failures.push({ caller, error: toError(thrown) }));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, checkWaiting));
    if (failures.length > 0) throw new CallsFailedError(failures);
  }

  /** Reads from the last known page on, because a call has several pages in a long drill. */
  async #hasResponded({ callId }: DrillCaller, question: string): Promise<boolean> {
    const path = this.#pages.get(callId) ?? `/api/calls/${callId}/messages?pageSize=100`;
    const { status, body } = await this.#api.request<Page<Message>>('GET', path);
    if (status !== 200) throw new Error(`GET ${path} returned ${status}`);
    if (body.next !== null) this.#pages.set(callId, body.next);
    return body.results.some(
      ({ role, text }) => role === 'MESSAGE_ROLE_AGENT' && text?.includes(question) === true,
    );
  }

  /** Retries a message while the client is reconnecting. */
  async #write(caller: DrillCaller, text: string): Promise<void> {
    await eventually(async () => {
      if (caller.lost !== null) return;
      const path = `/api/calls/${caller.callId}/send_data_message`;
      const body = { type: 'user_text_message', text, urgency: 'immediate' };
      const { status } = await this.#api.request('POST', path, body);
      if (status >= 300) throw new Error(`POST ${path} returned ${status}`);
    });
  }
}

export function drillTable(rows: readonly DrillRow[]): string {
  return markdownTable(
    ['medium', 'calls', 'moves', 'ended early', 'agent silent p50, ms', 'p99', 'max'],
    rows.map(({ medium, calls, moves, endedEarly, silentMs: { p50, p99, max } }) => [
      ...[medium, calls, moves, endedEarly],
      ...[p50, p99, max].map((ms) => Math.round(ms)),
    ]),
  );
}

/** Resolves when the agent was audible after the last move of its call, or the call is lost. */
async function audible(caller: DrillCaller): Promise<void> {
  await eventually(() => {
    if (caller.lost === null && !caller.agent.isAudible)
      throw new Error(`the agent of ${caller.medium} call ${caller.callId} is silent`);
  });
}
