import type { CallToolSpec, DataConnectionSpec } from '@calls/api-contract/call-spec';
import type { ServerMessage } from '@calls/api-contract/data-messages/server-messages';
import type { ClientMessage } from '@calls/api-contract/data-messages/client-messages';
import type { DataConnections } from '@calls/conversation/ports/data-connection';
import type { ToolServices } from '@calls/conversation/ports/tools';
import type { LanguageModel, ModelMessage, ModelToolCall } from '@calls/engine-ports/language-model';
import type { SpeechToText, Transcript } from '@calls/engine-ports/speech-to-text';
import { delay, type Clock } from '@calls/foundation/clock';
import { noTools } from '@calls/testkit/scripted/scripted-services';
import { clientTool, httpTool } from './scripted-tools.ts';

export type Day = 'tuesday' | 'wednesday' | 'thursday';

/** How booking tools are executed, and how the call handles them when the user interrupts. */
const KINDS = [
  { runsBy: 'http', onInterruption: 'INTERRUPTION_UNDO' },
  { runsBy: 'http', onInterruption: 'INTERRUPTION_CANCEL' },
  { runsBy: 'http', onInterruption: 'INTERRUPTION_CANCEL', undoes: false },
  { runsBy: 'client', onInterruption: 'INTERRUPTION_UNDO' },
  { runsBy: 'dataConnection', onInterruption: 'INTERRUPTION_UNDO' },
  { runsBy: 'mcp', onInterruption: 'INTERRUPTION_CANCEL', undoes: false },
] as const;

/** A started tool call that makes a booking. */
interface Start {
  tool: number;
  day: Day;
  atMs: number;
}

export interface Booking {
  tool: number;
  day: Day;
  /** Start of the tool call that made the booking. */
  fromMs: number;
  toMs: number;
}

export const CALENDAR: DataConnectionSpec = {
  url: 'wss://calendar.test',
  headers: {},
  dataMessages: {},
  audio: null,
};

const parameter = (name: string) => ({
  name,
  location: 'PARAMETER_LOCATION_BODY' as const,
  required: true,
});

/** Two tools for each of `count` calendars: `book_<n>`, and `release_<n>`, which undoes it. */
export function bookingTools(count: number): CallToolSpec[] {
  return Array.from({ length: count }, (_each, n) => n).flatMap((n) => {
    const kind = KINDS[n % KINDS.length] ?? KINDS[0];
    const undo = { dynamicParameters: [parameter('booking')], timeout: '10s' };
    const release =
      kind.runsBy === 'client' ? clientTool(`release_${n}`, undo) : httpTool(`release_${n}`, undo);
    return [booking(n, kind), release];
  });
}

function booking(n: number, { runsBy, onInterruption, ...kind }: (typeof KINDS)[number]): CallToolSpec {
  const name = `book_${n}`;
  const definition = {
    dynamicParameters: [parameter('day')],
    timeout: '10s',
    onInterruption,
    ...(!('undoes' in kind) && { undoTool: `release_${n}` }),
  };
  if (runsBy === 'http') return httpTool(name, definition);
  const plain = clientTool(name, definition);
  const { client, ...rest } = plain.definition;
  if (runsBy === 'client') return { ...plain, definition: { ...rest, client: client ?? {} } };
  if (runsBy === 'dataConnection') return { ...plain, definition: { ...rest, dataConnection: {} } };
  return { ...plain, definition: { ...rest, mcp: { url: 'https://calendar.test/mcp', toolName: name } } };
}

/** Calendars that tools change. A booking is stored when its tool call ends, unless the call is aborted before. */
export class BookingWorld {
  readonly starts: Start[] = [];
  /** Number of `release_<n>` calls. */
  releases = 0;
  aborted = 0;
  readonly #clock: Clock;
  readonly #delayMs: () => number;
  readonly #bookings = new Map<string, Booking>();
  #next = 1;
  readonly tools: ToolServices;
  readonly dataConnections: DataConnections;

  constructor(clock: Clock, delayMs: () => number) {
    this.#clock = clock;
    this.#delayMs = delayMs;
    this.tools = {
      ...noTools,
      http: {
        send: async ({ url, body = '{}' }, { signal }) => {
          const name = new URL(url).pathname.slice(1);
          return { status: 200, headers: {}, body: await this.#run(name, valuesOf(body), signal) };
        },
      },
      mcp: () => ({
        call: async ({ toolName, arguments: values }, { signal }) => ({
          text: await this.#run(toolName, values, signal),
          isError: false,
          meta: {},
        }),
        close: () => undefined,
      }),
    };
    this.dataConnections = {
      open: (_call, { onMessage }) => ({
        send: (message) => {
          if (message.type === 'data_connection_tool_invocation')
            this.#answer(message, 'data_connection_tool_result', onMessage);
        },
        writeAudio: null,
        close: () => Promise.resolve(),
      }),
    };
  }

  /** Booked days by index of the tool. */
  get booked(): Day[][] {
    const days: Day[][] = [];
    for (const { tool, day } of this.#bookings.values()) (days[tool] ??= []).push(day);
    return days;
  }

  get bookings(): readonly Booking[] {
    return [...this.#bookings.values()];
  }

  /** Executes client tools: responds to invocations in messages from the call. */
  asClient(message: ServerMessage, say: (message: ClientMessage) => void): void {
    if (message.type === 'client_tool_invocation') this.#answer(message, 'client_tool_result', say);
  }

  #answer(
    {
      toolName,
      invocationId,
      parameters,
    }: ServerMessage & { invocationId: string; parameters: object; toolName: string },
    type: 'client_tool_result' | 'data_connection_tool_result',
    say: (message: ClientMessage) => void,
  ): void {
    void this.#run(toolName, { ...parameters }).then((result) => say({ type, invocationId, result }));
  }

  async #run(name: string, values: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<string> {
    const [what, n] = name.split('_');
    const tool = Number(n);
    const day = values['day'] as Day;
    const fromMs = this.#clock.nowMs();
    if (what === 'book') this.starts.push({ tool, day, atMs: fromMs });
    try {
      await delay(this.#clock, this.#delayMs(), signal);
    } catch (thrown) {
      this.aborted += 1;
      throw thrown;
    }
    if (what === 'release') {
      this.releases += 1;
      return this.#bookings.delete(String(values['booking'])) ? 'released' : 'there is no such booking';
    }
    const booking = `b${this.#next}`;
    this.#next += 1;
    this.#bookings.set(booking, { tool, day, fromMs, toMs: this.#clock.nowMs() });
    return JSON.stringify({ booking });
  }
}

/** STT stand-in that identifies words by the sample value in which they are spoken. */
export class LevelSpeechToText implements SpeechToText {
  readonly #clock: Clock;
  readonly #delayMs: number;
  readonly #words: ReadonlyMap<number, string>;

  constructor(clock: Clock, delayMs: number, words: ReadonlyMap<number, string>) {
    this.#clock = clock;
    this.#delayMs = delayMs;
    this.#words = words;
  }

  open(): ReturnType<SpeechToText['open']> {
    const recognized = new Set<string>();
    return {
      push: (samples) => {
        for (const sample of samples) {
          const words = this.#words.get(sample);
          if (words !== undefined) recognized.add(words);
        }
      },
      finalize: async () => {
        const text = [...recognized].join(' ');
        await delay(this.#clock, this.#delayMs);
        return { text };
      },
      interims: noInterims(),
      close: () => undefined,
    };
  }
}

async function* noInterims(): AsyncGenerator<Transcript> {
  // Words are transcribed only by finalize.
}

/**
 * In every calendar, books the day that the user named last, and can release bookings of other days. It knows only the
 * messages of the request.
 */
export class BookingModel implements LanguageModel {
  /** Number of `release_<n>` calls that the model made for bookings of days that the user no longer wants. */
  releases = 0;
  readonly #clock: Clock;
  readonly #calendars: number;
  readonly #delayMs: number;
  readonly #says: string;
  readonly #releases: boolean;

  /** `says`: text before the tool calls, or empty. `releases`: whether the model releases bookings of other days. */
  constructor(
    clock: Clock,
    calendars: number,
    { delayMs, says, releases }: { delayMs: number; says: string; releases: boolean },
  ) {
    this.#clock = clock;
    this.#calendars = calendars;
    this.#delayMs = delayMs;
    this.#says = says;
    this.#releases = releases;
  }

  acceptsAudio(): boolean {
    return false;
  }

  async *respond({ messages }: { messages: readonly ModelMessage[] }, signal: AbortSignal) {
    await delay(this.#clock, this.#delayMs, signal);
    const calls = this.#calls(messages);
    const text = calls.length === 0 ? 'It is done.' : this.#says;
    if (text !== '') yield { type: 'text' as const, text };
    for (const [i, { name, values }] of calls.entries()) {
      await delay(this.#clock, 20, signal);
      if (name.startsWith('release')) this.releases += 1;
      const call: ModelToolCall = { id: `c${i}`, name, arguments: JSON.stringify(values) };
      yield { type: 'tool_call' as const, call };
    }
  }

  #calls(messages: readonly ModelMessage[]): { name: string; values: Record<string, string> }[] {
    const text = messages
      .flatMap(({ role, content }) => (role === 'user' && typeof content === 'string' ? [content] : []))
      .join(' ');
    const wanted = text.match(/tuesday|wednesday|thursday/gu)?.at(-1);
    if (wanted === undefined) return [];
    const known = bookingsIn(messages);
    const calls: { name: string; values: Record<string, string> }[] = [];
    for (let n = 0; n < this.#calendars && calls.length < 10; n += 1) {
      const bookings = [...known].filter(([, { tool }]) => tool === String(n));
      for (const [booking, { day }] of bookings)
        if (this.#releases && day !== wanted) calls.push({ name: `release_${n}`, values: { booking } });
      if (!bookings.some(([, { day }]) => day === wanted))
        calls.push({ name: `book_${n}`, values: { day: wanted } });
    }
    return calls;
  }
}

const valuesOf = (json: string) => JSON.parse(json) as Record<string, string>;

/** Bookings that the model can see in the messages. A booking with a running release no longer counts. */
function bookingsIn(messages: readonly ModelMessage[]): Map<string, { tool: string; day: string }> {
  const known = new Map<string, { tool: string; day: string }>();
  const results = new Map(
    messages.flatMap((message) =>
      message.role === 'tool' ? [[message.toolCallId, message.content] as const] : [],
    ),
  );
  for (const message of messages) {
    if (message.role !== 'assistant') continue;
    for (const { id, name, arguments: written } of message.toolCalls ?? []) {
      const [what, tool = ''] = name.split('_');
      const values = valuesOf(written);
      const result = results.get(id) ?? '';
      const isRun = !/^(?:Not run|Cancelled)/u.test(result);
      if (what === 'release' && isRun) known.delete(values['booking'] ?? '');
      else if (result.startsWith('{')) {
        const { booking } = JSON.parse(result) as { booking: string };
        known.set(booking, { tool, day: values['day'] ?? '' });
      }
    }
  }
  return known;
}
