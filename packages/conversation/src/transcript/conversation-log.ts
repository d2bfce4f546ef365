import {
  msToDuration,
  type CallEventBody,
  type Message,
  type MessageMedium,
  type MessageMediumEnum,
  type TranscriptMessage,
} from '@calls/api-contract';

export interface LoggedMessage {
  role: 'user' | 'agent';
  text: string;
}

export interface ConversationLogOptions {
  stageId: string;
  initialMessages: readonly Message[];
  /** Milliseconds since the join. */
  callTimeMs: () => number;
  wallMs: () => number;
  send: (message: TranscriptMessage) => void;
  emit: (body: CallEventBody) => void;
}

/**
 * What was said, as far as it was heard: the model's history, the messages of the stage and the live transcript are three
 * views of it. Ordinals are dense and given when an utterance is first shown.
 */
export class ConversationLog {
  readonly #options: ConversationLogOptions;
  readonly #messages: LoggedMessage[] = [];
  #nextOrdinal = 0;
  #nextIndex = 0;

  constructor(options: ConversationLogOptions) {
    this.#options = options;
    for (const message of options.initialMessages) {
      const role = roleOf(message);
      if (role && message.text) this.#messages.push({ role, text: message.text });
      this.#emit({ ...message, callStageMessageIndex: this.#nextIndex, callStageId: options.stageId });
    }
  }

  get messages(): readonly LoggedMessage[] {
    return this.#messages;
  }

  addUserMessage(text: string, medium: MessageMedium, startedAtMs: number): void {
    this.#messages.push({ role: 'user', text });
    this.#options.send(transcript('user', medium, this.#takeOrdinal(), { text }, true));
    this.#record('MESSAGE_ROLE_USER', text, medium, startedAtMs);
  }

  /** Opens an utterance of the agent; it shows up with its first words. */
  openAgentEntry(medium: MessageMedium): AgentEntry {
    return new AgentEntry(medium, {
      takeOrdinal: () => this.#takeOrdinal(),
      callTimeMs: this.#options.callTimeMs,
      send: this.#options.send,
      record: (text, startedAtMs) => {
        this.#messages.push({ role: 'agent', text });
        this.#record('MESSAGE_ROLE_AGENT', text, medium, startedAtMs);
      },
    });
  }

  #takeOrdinal(): number {
    const ordinal = this.#nextOrdinal;
    this.#nextOrdinal += 1;
    return ordinal;
  }

  #record(
    role: 'MESSAGE_ROLE_USER' | 'MESSAGE_ROLE_AGENT',
    text: string,
    medium: MessageMedium,
    startMs: number,
  ): void {
    const endMs = this.#options.callTimeMs();
    const joinWallMs = this.#options.wallMs() - endMs;
    this.#emit({
      role,
      text,
      medium: MEDIUM_ENUM[medium],
      callStageMessageIndex: this.#nextIndex,
      callStageId: this.#options.stageId,
      timespan: { start: msToDuration(Math.min(startMs, endMs)), end: msToDuration(endMs) },
      wallClockTimespan: {
        start: msToDuration(joinWallMs + Math.min(startMs, endMs)),
        end: msToDuration(joinWallMs + endMs),
      },
    });
  }

  #emit(message: Message): void {
    const index = this.#nextIndex;
    this.#nextIndex += 1;
    this.#options.emit({ type: 'message_added', stageId: this.#options.stageId, index, message });
  }
}

interface AgentEntryLinks {
  takeOrdinal: () => number;
  callTimeMs: () => number;
  send: (message: TranscriptMessage) => void;
  record: (text: string, startedAtMs: number) => void;
}

/** One utterance of the agent, as it is heard. */
export class AgentEntry {
  readonly #medium: MessageMedium;
  readonly #links: AgentEntryLinks;
  #ordinal: number | null = null;
  #heard = '';
  #startedAtMs = 0;
  #closed = false;

  constructor(medium: MessageMedium, links: AgentEntryLinks) {
    this.#medium = medium;
    this.#links = links;
  }

  /** What was heard so far. */
  get heard(): string {
    return this.#heard;
  }

  /** The time from which this utterance is heard, for its timespan. */
  begin(): void {
    this.#startedAtMs = this.#links.callTimeMs();
  }

  hear(delta: string): void {
    if (delta === '' || this.#closed) return;
    this.#ordinal ??= this.#links.takeOrdinal();
    this.#heard += delta;
    this.#links.send(transcript('agent', this.#medium, this.#ordinal, { delta }, false));
  }

  /** Nothing more will be heard. An utterance of which nothing was heard leaves no trace. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    const text = this.#heard.trim();
    if (this.#ordinal === null) return;
    this.#links.send(transcript('agent', this.#medium, this.#ordinal, { text }, true));
    if (text !== '') this.#links.record(text, this.#startedAtMs);
  }
}

const MEDIUM_ENUM: Record<MessageMedium, MessageMediumEnum> = {
  voice: 'MESSAGE_MEDIUM_VOICE',
  text: 'MESSAGE_MEDIUM_TEXT',
};

function transcript(
  role: 'user' | 'agent',
  medium: MessageMedium,
  ordinal: number,
  words: { text: string } | { delta: string },
  final: boolean,
): TranscriptMessage {
  return {
    type: 'transcript',
    role,
    medium,
    text: 'text' in words ? words.text : null,
    delta: 'delta' in words ? words.delta : null,
    final,
    ordinal,
  };
}

function roleOf(message: Message): LoggedMessage['role'] | null {
  switch (message.role) {
    case 'MESSAGE_ROLE_USER':
      return 'user';
    case 'MESSAGE_ROLE_AGENT':
      return 'agent';
    default:
      return null;
  }
}
