import { CallAudio } from './media/call-audio.ts';
import { BROWSER, type CallSessionOptions, type Environment, type JoinOptions } from './call-options.ts';
import { CallError, toCallError } from './call-error.ts';
import { CallEventTarget, type CallEnd, type CallStatus } from './call-events.ts';
import { CallLine } from './connection/call-line.ts';
import { isMicrophoneGranted, listDevices, type AudioDevices } from './media/devices.ts';
import { connectionUrl } from './connection/join-url.ts';
import type { AudioLevels } from './media/levels.ts';
import type { ClientMessage, ServerMessage } from './messages.ts';
import { checkSize } from './message-size.ts';
import type { MicrophoneChoice } from './media/microphone.ts';
import type { ToolImplementation, Transcript } from './application-types.ts';
import { Tools } from './tools.ts';
import { withTranscript } from './transcripts.ts';

const DTMF_KEYS = /^[0-9A-Da-d*#]{1,100}$/u;

/** One call at a time with an agent: its audio, data messages and client tools. Can join another call afterwards. */
export class CallSession extends CallEventTarget {
  readonly #options: CallSessionOptions;
  readonly #environment: Environment;
  readonly #tools = new Tools();
  readonly #audio: CallAudio;
  readonly #onDevices = (): void => this.emit('devices', null);
  #line: CallLine | null = null;
  /** Settles when the previous call has been left. */
  #leaving: Promise<void> | null = null;
  #status: CallStatus = 'disconnected';
  /** The last reported state of the conversation. */
  #agentState: CallStatus = 'idle';
  #transcripts: readonly Transcript[] = [];
  #callId: string | null = null;
  #joinTimeMs: number | null = null;
  /** The last choice of a microphone; null when it has taken effect or failed. */
  #choosing: symbol | null = null;

  constructor(options: CallSessionOptions = {}) {
    super();
    this.#options = options;
    this.#environment = { ...BROWSER, ...options.environment };
    this.#audio = new CallAudio({
      createSpeaker: () => this.#environment.createSpeaker(() => this.emit('audio_blocked', null)),
      onUnplugged: () => void this.#onUnplugged(),
      needsLevels: () => this.hasListened('levels'),
      onLevels: (levels) => this.emit('levels', levels),
    });
    this.#tools.registerAll(options.tools ?? {});
  }

  /** Lists microphones and loudspeakers. Rejects with a CallError. */
  static listDevices(): Promise<AudioDevices> {
    return listDevices();
  }

  get status(): CallStatus {
    return this.#status;
  }

  /** In conversation order; a new array after each change. They remain until the next call. */
  get transcripts(): readonly Transcript[] {
    return this.#transcripts;
  }

  get callId(): string | null {
    return this.#callId;
  }

  /** Time from opening the connection to the join; null before. */
  get joinTimeMs(): number | null {
    return this.#joinTimeMs;
  }

  get isMicMuted(): boolean {
    return this.#audio.microphone.isMuted;
  }

  get isSpeakerMuted(): boolean {
    return this.#audio.isSpeakerMuted;
  }

  /** The sent track; null without a microphone. Owned by the session: do not stop it. */
  get microphoneTrack(): MediaStreamTrack | null {
    return this.#audio.microphone.track;
  }

  /** The agent's audio. */
  get agentTrack(): MediaStreamTrack | null {
    return this.#audio.agentTrack;
  }

  /** Current levels for meters. The `levels` event reports the same. */
  get levels(): AudioLevels {
    return this.#audio.levels;
  }

  /** Resolves when the call is joined. Rejects with a CallError, and the status is `disconnected` again. */
  async joinCall(joinUrl: string, options: JoinOptions = {}): Promise<void> {
    this.#environment.checkBrowser();
    if (this.#leaving) await this.#leaving;
    if (this.#line) throw new CallError('already_in_call', 'leave the call before joining another');
    const url = connectionUrl(joinUrl, this.#options);
    let microphone = Promise.resolve();
    const line = new CallLine({
      url,
      createDevice: this.#environment.createDevice,
      iceTransportPolicy: this.#options.iceTransportPolicy,
      microphone: () => microphone.then(() => this.#audio.microphone.track),
      onMessage: (message) => this.#onMessage(line, message),
      onConnected: (agentTrack) => this.#onConnected(agentTrack),
      onLost: () => this.#onLost(),
      onEnded: (end) => this.#onEnded(line, end),
    });
    this.#begin(line);
    try {
      const { microphone: choice = true, speaker } = options;
      if (speaker !== undefined) await this.setSpeaker(speaker);
      // Asks for the microphone first, because users may take longer to decide than the service waits for the join.
      const isAsked = choice !== false && typeof choice !== 'object' && !(await isMicrophoneGranted());
      microphone = this.#chooseMicrophone(line, choice);
      // The line awaits this promise and reports its rejection, unless the line fails first.
      microphone.catch(() => undefined);
      if (isAsked) await microphone;
      const startedMs = performance.now();
      await line.join();
      this.#joinTimeMs = performance.now() - startedMs;
    } catch (thrown) {
      const error = toCallError(thrown, 'connection_failed');
      this.#close(line, { reason: null, error });
      throw error;
    }
  }

  /** Hangs up; a running join rejects with `left`. Resolves when all resources of the call are released. */
  leaveCall(): Promise<void> {
    this.#leaving ??= this.#leave().finally(() => (this.#leaving = null));
    return this.#leaving;
  }

  muteMic(): void {
    this.#setMuted(true, this.#audio.isSpeakerMuted);
  }

  unmuteMic(): void {
    this.#setMuted(false, this.#audio.isSpeakerMuted);
  }

  toggleMicMute(): void {
    this.#setMuted(!this.isMicMuted, this.#audio.isSpeakerMuted);
  }

  muteSpeaker(): void {
    this.#setMuted(this.isMicMuted, true);
  }

  unmuteSpeaker(): void {
    this.#setMuted(this.isMicMuted, false);
  }

  toggleSpeakerMute(): void {
    this.#setMuted(this.isMicMuted, !this.#audio.isSpeakerMuted);
  }

  /** 0 (silent) to 1 (default). Not changed by muting; applies to this call and later ones. */
  get speakerVolume(): number {
    return this.#audio.speakerVolume;
  }

  /** Throws a RangeError outside of 0 to 1. Has no effect in Safari on iOS, where only the device's keys set it. */
  set speakerVolume(volume: number) {
    if (!(volume >= 0 && volume <= 1)) throw new RangeError(`speakerVolume must be 0 to 1 (got ${volume})`);
    this.#audio.speakerVolume = volume;
  }

  /** Sends text. `immediate` may interrupt the agent; `soon` (default) waits for its turn; `later` gets no response. */
  sendText(text: string, options: { urgency?: 'immediate' | 'soon' | 'later' } = {}): void {
    this.sendData({ type: 'user_text_message', text, ...options });
  }

  /** Presses DTMF keys (`0` to `9`, `*`, `#`, `A` to `D`; at most 100). Throws a RangeError for others. */
  sendDtmf(digits: string): void {
    if (!DTMF_KEYS.test(digits)) throw new RangeError('digits must be 1 to 100 of 0 to 9, *, #, A to D');
    this.sendData({ type: 'dtmf', digits });
  }

  /** Takes effect with the agent's next utterance. */
  setOutputMedium(medium: 'voice' | 'text'): void {
    this.sendData({ type: 'set_output_medium', medium });
  }

  /** Queues the message while the connection is lost. Throws a CallError outside of calls and if it is too large. */
  sendData(message: ClientMessage): void {
    if (!this.#line) throw new CallError('not_in_call', 'no call is joined');
    checkSize(message);
    this.#line.send(message);
  }

  /** Registers the implementation of a client tool. Replaces an earlier one; null removes it. */
  registerToolImplementation(name: string, implementation: ToolImplementation | null): void {
    this.#tools.register(name, implementation);
  }

  registerToolImplementations(implementations: Readonly<Record<string, ToolImplementation>>): void {
    this.#tools.registerAll(implementations);
  }

  /**
   * Switches to another microphone, or to none. The last choice wins: an earlier one that takes longer resolves without
   * effect. If it rejects with a CallError, the previous microphone stays.
   */
  async setMicrophone(choice: MicrophoneChoice): Promise<void> {
    if (!this.#line)
      throw new CallError('not_in_call', 'no call is joined: choose a microphone when joining');
    await this.#chooseMicrophone(this.#line, choice);
  }

  /** Selects a loudspeaker by device id ('': default) for this call and later ones. Rejects with a CallError. */
  async setSpeaker(deviceId: string): Promise<void> {
    await this.#audio.setSpeaker(deviceId);
  }

  /** Plays what the browser refused to play (`audio_blocked`). Only a user's click may call it. */
  async resumeAudio(): Promise<void> {
    await this.#audio.resume();
  }

  /** WebRTC statistics of each direction; null while there is no connection. */
  async getStats(): Promise<{ send: RTCStatsReport; receive: RTCStatsReport } | null> {
    return (await this.#line?.getStats()) ?? null;
  }

  async #leave(): Promise<void> {
    const line = this.#line;
    if (!line) return;
    this.#setStatus('disconnecting');
    await line.leave();
    this.#close(line, { reason: 'hangup', error: null });
  }

  #begin(line: CallLine): void {
    this.#line = line;
    this.#callId = null;
    this.#joinTimeMs = null;
    this.#agentState = 'idle';
    if (this.#transcripts.length > 0) {
      this.#transcripts = [];
      this.emit('transcripts', this.#transcripts);
    }
    if ('mediaDevices' in navigator) navigator.mediaDevices.addEventListener('devicechange', this.#onDevices);
    this.#setStatus('connecting');
  }

  #onConnected(agentTrack: MediaStreamTrack): void {
    const isBack = this.#audio.agentTrack !== null;
    this.#audio.play(agentTrack);
    this.#setStatus(this.#agentState);
    if (isBack) this.emit('reconnected', null);
  }

  #onLost(): void {
    this.#setStatus('connecting');
    this.emit('reconnecting', null);
  }

  #onEnded(line: CallLine, end: CallEnd): void {
    if (end.error) this.emit('error', end.error);
    this.#close(line, end);
  }

  #close(line: CallLine, end: CallEnd): void {
    if (this.#line !== line) return;
    this.#line = null;
    this.#audio.stop();
    if ('mediaDevices' in navigator)
      navigator.mediaDevices.removeEventListener('devicechange', this.#onDevices);
    this.#setStatus('disconnected');
    this.emit('ended', end);
  }

  #onMessage(line: CallLine, message: ServerMessage): void {
    if (this.#line !== line) return;
    switch (message.type) {
      case 'call_started':
        this.#callId = message.callId;
        break;
      case 'state':
        this.#agentState = message.state;
        if (this.#status !== 'connecting' && this.#status !== 'disconnecting') this.#setStatus(message.state);
        break;
      case 'transcript':
        this.#transcripts = withTranscript(this.#transcripts, message);
        this.emit('transcripts', this.#transcripts);
        break;
      case 'client_tool_invocation':
        void this.#tools.answer(
          message,
          (result) => this.#line === line && line.send(result),
          (error) => this.emit('error', error),
        );
        break;
      default:
        break;
    }
    this.emit('data_message', message);
  }

  /** Acquires, sends and uses a microphone. The call may end, or another be chosen, while the user decides. */
  async #chooseMicrophone(line: CallLine, choice: MicrophoneChoice): Promise<void> {
    const choosing = Symbol('microphone');
    this.#choosing = choosing;
    let track: MediaStreamTrack | null = null;
    try {
      track = await this.#audio.microphone.acquire(choice);
      if (this.#line !== line) throw new CallError('left', 'the client has left the call');
      if (this.#choosing !== choosing) return track?.stop();
      await line.setMicrophone(track);
      if (this.#line === line) this.#audio.microphone.use(track);
      else track?.stop();
    } catch (thrown) {
      track?.stop();
      throw toCallError(thrown, 'microphone_failed');
    } finally {
      if (this.#choosing === choosing) this.#choosing = null;
    }
  }

  async #onUnplugged(): Promise<void> {
    // The user has already chosen another one.
    if (this.#choosing) return;
    try {
      await this.setMicrophone(true);
    } catch (thrown) {
      this.emit('error', toCallError(thrown, 'microphone_failed'));
    }
  }

  #setMuted(microphone: boolean, speaker: boolean): void {
    this.#audio.microphone.isMuted = microphone;
    this.#audio.isSpeakerMuted = speaker;
    this.emit('mute', { microphone, speaker });
  }

  #setStatus(status: CallStatus): void {
    if (this.#status === status) return;
    this.#status = status;
    this.emit('status', status);
  }
}
