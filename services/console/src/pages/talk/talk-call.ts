import {
  CallSession,
  checkBrowser,
  openMicrophone,
  type CallEventMap,
  type ServerMessage,
} from '@calls/client';
import { dataOf, api, type Schemas } from '../../api/client.ts';
import { isNotable, noteText } from '../calls/event-notes.ts';
import { agentCallRequest, promptCallRequest, templateCallRequest, type Partner } from './call-request.ts';
import { ClientTools, type ToolReply } from './client-tools.ts';
import { lastOrdinal, type UsedTool } from './conversation.ts';
import { lossOf, talkProblem } from './talk-problem.ts';
import { BEFORE, turnTookMs, type Levels, type TalkState } from './talk-state.ts';

/** Update interval of the meters. */
const LEVELS_MS = 40;
const SILENCE: Levels = { microphone: 0, agent: 0 };
const CLIENT_VERSION = 'console';

export interface StartOptions {
  readonly partner: Partner;
  /** Null for calls by text only; '' for the default device. */
  readonly microphoneId: string | null;
}

/** Dependencies of TalkCall. */
export interface TalkCallDeps {
  readonly session: CallSession;
  readonly checkBrowser: typeof checkBrowser;
  readonly openMicrophone: typeof openMicrophone;
  readonly create: (
    partner: Partner,
    isText: boolean,
  ) => Promise<Pick<Schemas['Call'], 'callId' | 'joinUrl'>>;
  readonly toolsOf: (callId: string) => Promise<Schemas['CallTool'][]>;
}

/**
 * The call of the page: creates it, joins it, and holds the displayed state. Only one call at a time; another may
 * follow.
 */
export class TalkCall {
  readonly #deps: TalkCallDeps;
  readonly #session: CallSession;
  readonly #listeners = new Set<() => void>();
  readonly #meters = new Set<(levels: Levels) => void>();
  #tools = new ClientTools(() => undefined);
  #timer: ReturnType<typeof setInterval> | undefined;
  #state = BEFORE;
  /** Number of the current attempt; earlier ones were cancelled. */
  #attempt = 0;

  constructor(deps: Partial<TalkCallDeps> = {}) {
    const session = deps.session ?? new CallSession({ clientVersion: CLIENT_VERSION });
    this.#deps = { checkBrowser, openMicrophone, create, toolsOf, ...deps, session };
    this.#session = session;
    this.#on('status', (status) => this.#set({ status, isReconnecting: false }));
    this.#on('reconnecting', () => this.#set({ isReconnecting: true }));
    this.#on('reconnected', () => this.#set({ isReconnecting: false }));
    this.#on('transcripts', (transcripts) => this.#set({ transcripts }));
    this.#on('mute', ({ microphone, speaker }) =>
      this.#set({ isMicMuted: microphone, isSpeakerMuted: speaker }),
    );
    this.#on('audio_blocked', () => this.#set({ isAudioBlocked: true }));
    this.#on('data_message', (message) => this.#onMessage(message));
    this.#on('ended', (end) => this.#onEnded(end));
    this.#on('error', (error) => {
      if (error.code !== 'tool_failed') this.#set({ notice: error.message });
    });
  }

  get state(): TalkState {
    return this.#state;
  }

  /** The `subscribe` function for useSyncExternalStore. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Calls `listener` with both levels during the call, and with zero at its end. */
  onLevels(listener: (levels: Levels) => void): () => void {
    this.#meters.add(listener);
    return () => this.#meters.delete(listener);
  }

  async start({ partner, microphoneId }: StartOptions): Promise<void> {
    if (this.#state.phase === 'starting' || this.#state.phase === 'inCall') return;
    this.#attempt += 1;
    const attempt = this.#attempt;
    const isText = microphoneId === null;
    const { isMicMuted, isSpeakerMuted } = this.#state;
    this.#state = { ...BEFORE, isMicMuted, isSpeakerMuted };
    this.#set({ phase: 'starting', hasMicrophone: !isText, output: isText ? 'text' : 'voice' });
    this.#tools = new ClientTools(() => this.#set({ invocations: this.#tools.invocations }));
    let microphone: MediaStreamTrack | null = null;
    try {
      this.#deps.checkBrowser();
      // Opens the microphone before the call is created, so that no call waits for the user's permission.
      microphone = isText ? null : await this.#deps.openMicrophone(microphoneId || null);
      if (attempt !== this.#attempt) return;
      const { callId, joinUrl } = await this.#deps.create(partner, isText);
      const tools = await this.#deps.toolsOf(callId);
      if (attempt !== this.#attempt) return;
      this.#tools.register(this.#session, tools);
      this.#set({ callId });
      await this.#session.joinCall(joinUrl ?? '', { microphone: microphone ?? false });
      if (attempt !== this.#attempt) return;
      this.#set({ phase: 'inCall', joinedAtMs: Date.now() });
      this.#timer = setInterval(() => this.#measure(), LEVELS_MS);
    } catch (thrown) {
      if (attempt === this.#attempt) this.#set({ phase: 'setup', problem: talkProblem(thrown) });
    } finally {
      // The session uses a copy.
      microphone?.stop();
    }
  }

  /** Hangs up, or cancels a call that is starting. */
  async leave(): Promise<void> {
    const { phase } = this.#state;
    if (phase === 'starting') {
      this.#attempt += 1;
      this.#set({ phase: 'setup' });
    }
    await this.#session.leaveCall();
  }

  /** Returns to the selection of an agent. */
  reset(): void {
    if (this.#state.phase === 'ended') this.#set({ phase: 'setup', problem: null });
  }

  toggleMicrophone(): void {
    this.#session.toggleMicMute();
  }

  toggleSpeaker(): void {
    this.#session.toggleSpeakerMute();
  }

  say(text: string): void {
    this.#try(() => this.#session.sendText(text, { urgency: 'immediate' }));
  }

  setOutput(output: 'voice' | 'text'): void {
    this.#try(() => this.#session.setOutputMedium(output));
    this.#set({ output });
  }

  /** Changes the microphone, or adds one to a call without it. */
  async setMicrophone(deviceId: string): Promise<void> {
    await this.#tryLater(
      this.#session.setMicrophone(deviceId || true).then(() => this.#set({ hasMicrophone: true })),
    );
  }

  async setSpeaker(deviceId: string): Promise<void> {
    await this.#tryLater(this.#session.setSpeaker(deviceId));
  }

  async resumeAudio(): Promise<void> {
    this.#set({ isAudioBlocked: false });
    await this.#session.resumeAudio();
  }

  onDevices(listener: () => void): () => void {
    this.#session.addEventListener('devices', listener);
    return () => this.#session.removeEventListener('devices', listener);
  }

  answerTool(id: number, reply: ToolReply): void {
    this.#tools.answer(id, reply);
  }

  failTool(id: number): void {
    this.#tools.fail(id);
  }

  dismissNotice(): void {
    this.#set({ notice: null });
  }

  #onMessage(message: ServerMessage): void {
    const { transcripts, tools, interrupted, turns } = this.#state;
    switch (message.type) {
      case 'tool_used':
        this.#set({ tools: [...tools, usedTool(message, lastOrdinal(transcripts))] });
        break;
      case 'user_started_speaking':
      case 'user_stopped_speaking':
        this.#set({ isUserSpeaking: message.type === 'user_started_speaking' });
        break;
      case 'interim_transcript':
        this.#set({ interim: message.text });
        break;
      case 'call_event': {
        const tookMs = turnTookMs(message);
        // Arrives when playback of the response starts, before its first words.
        const afterOrdinal = lastOrdinal(transcripts, 'agent');
        if (tookMs !== null) this.#set({ turns: [...turns, { afterOrdinal, tookMs }] });
        if (message.eventType === 'interrupted') {
          this.#set({ interrupted: new Set([...interrupted, afterOrdinal]) });
        }
        this.#note(message);
        break;
      }
      default:
        break;
    }
  }

  #note({ severity, eventType: type, text, extras }: ServerMessage & { type: 'call_event' }): void {
    const { notes, transcripts } = this.#state;
    if (!isNotable({ severity, type })) return;
    const afterOrdinal = lastOrdinal(transcripts);
    const note = { id: notes.length, severity, text: noteText({ text, extras }), afterOrdinal };
    this.#set({ notes: [...notes, note] });
  }

  #measure(): void {
    const levels = this.#session.levels;
    for (const tell of this.#meters) tell(levels);
  }

  #onEnded(end: CallEventMap['ended']): void {
    clearInterval(this.#timer);
    for (const tell of this.#meters) tell(SILENCE);
    this.#tools.expireAll();
    // The error that joinCall throws reports a failed join.
    if (this.#state.phase !== 'inCall') return;
    const problem = end.error && lossOf(end.error);
    this.#set({ isUserSpeaking: false, interim: '' });
    this.#set({ phase: 'ended', endedAtMs: Date.now(), end, problem, notice: null, isReconnecting: false });
  }

  #try(act: () => void): void {
    try {
      act();
    } catch (thrown) {
      this.#set({ notice: talkProblem(thrown).detail });
    }
  }

  async #tryLater(act: Promise<void>): Promise<void> {
    try {
      await act;
    } catch (thrown) {
      this.#set({ notice: talkProblem(thrown).detail });
    }
  }

  #on<K extends keyof CallEventMap>(type: K, listener: (detail: CallEventMap[K]) => void): void {
    this.#session.addEventListener(type, (event: CustomEvent<CallEventMap[K]>) => listener(event.detail));
  }

  #set(change: Partial<TalkState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}

function create(partner: Partner, isText: boolean): Promise<Schemas['Call']> {
  if (partner.kind === 'prompt') {
    return dataOf(api.POST('/api/calls', { body: promptCallRequest(partner, isText) }));
  }
  if (partner.kind === 'template') {
    return dataOf(api.POST('/api/calls', { body: templateCallRequest(partner, isText) }));
  }
  const params = { path: { agent_id: partner.agentId } };
  return dataOf(
    api.POST('/api/agents/{agent_id}/calls', { params, body: agentCallRequest(partner, isText) }),
  );
}

function toolsOf(callId: string): Promise<Schemas['CallTool'][]> {
  return dataOf(api.GET('/api/calls/{call_id}/tools', { params: { path: { call_id: callId } } }));
}

function usedTool(message: ServerMessage & { type: 'tool_used' }, afterOrdinal: number): UsedTool {
  const { invocationId, toolName, errorType = null, durationMs } = message;
  return { id: invocationId, name: toolName, error: errorType, durationMs, afterOrdinal };
}
