import { openMicrophone } from '@calls/client';
import { dataOf, api, type Schemas } from '../../../../api/client.ts';
import { LiveAudio } from './live-audio.ts';

export type SupervisionState =
  | { phase: 'off'; error: Error | null }
  | { phase: 'connecting' }
  /** `holder`: who speaks to the user. `notice`: why the last command had no effect. */
  | { phase: 'connected'; holder: 'agent' | 'us' | 'other'; notice: string | null };

/** The messages to a supervisor that this page uses. */
type Message =
  | { type: 'supervision_started'; takenOverBy: string | null }
  | { type: 'call_taken_over'; supervisorId: string }
  | { type: 'call_handed_back' }
  | { type: 'refused'; detail: string }
  | { type: 'other' };

const OFF: SupervisionState = { phase: 'off', error: null };
const CALL_ENDED = 1000;

/** The connection of this page to a live call: listening, whispering, and speaking to the user. */
export class SupervisionLine {
  readonly #callId: string;
  readonly #listeners = new Set<() => void>();
  #state: SupervisionState = OFF;
  #line: { audio: LiveAudio; socket: WebSocket | null } | null = null;

  constructor(callId: string) {
    this.#callId = callId;
  }

  get state(): SupervisionState {
    return this.#state;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Starts listening. Call it in a click handler. */
  async listen(): Promise<void> {
    const line: { audio: LiveAudio; socket: WebSocket | null } = { audio: new LiveAudio(), socket: null };
    this.#line = line;
    this.#set({ phase: 'connecting' });
    try {
      const access = await this.#access(line.audio.sampleRateHz);
      if (this.#line !== line) return;
      line.socket = this.#open(access, line.audio);
    } catch (thrown) {
      if (this.#line === line) this.#end(thrown instanceof Error ? thrown : new Error(String(thrown)));
    }
  }

  whisper(text: string): void {
    this.#send({ type: 'whisper', text });
  }

  /** Takes the call over, after it has opened the microphone. */
  async takeOver(): Promise<void> {
    const line = this.#line;
    try {
      const track = await openMicrophone(null);
      if (!line || this.#line !== line) {
        track.stop();
        return;
      }
      await line.audio.capture(track, (pcm) => {
        if (this.#state.phase === 'connected' && this.#state.holder === 'us') line.socket?.send(pcm);
      });
      this.#send({ type: 'take_over' });
    } catch (thrown) {
      line?.audio.stopCapture();
      this.#notice(thrown instanceof Error ? thrown.message : String(thrown));
    }
  }

  handBack(): void {
    this.#line?.audio.stopCapture();
    this.#send({ type: 'hand_back' });
  }

  /** Closes the connection, and hands the call back if this page has taken it over. Idempotent. */
  close(): void {
    this.#end(null);
  }

  #access(sampleRate: number): Promise<Schemas['CallSupervision']> {
    const params = { path: { call_id: this.#callId } };
    const body = { mode: 'barge', name: 'Console', sampleRate } as const;
    return dataOf(api.POST('/api/calls/{call_id}/supervise', { params, body }));
  }

  #open({ superviseUrl, supervisorId }: Schemas['CallSupervision'], audio: LiveAudio): WebSocket {
    const socket = new WebSocket(superviseUrl);
    socket.binaryType = 'arraybuffer';
    socket.addEventListener('message', ({ data }: MessageEvent<string | ArrayBuffer>) => {
      if (this.#line?.socket !== socket) return;
      if (typeof data === 'string') this.#receive(JSON.parse(data) as Message, supervisorId);
      else audio.play(data);
    });
    socket.addEventListener('close', ({ code, reason }) => {
      if (this.#line?.socket !== socket) return;
      const error = new Error(`The connection to the call was closed (${reason === '' ? code : reason}).`);
      this.#end(code === CALL_ENDED ? null : error);
    });
    return socket;
  }

  #receive(message: Message, supervisorId: string): void {
    switch (message.type) {
      case 'supervision_started':
        return this.#hold(message.takenOverBy === null ? 'agent' : 'other');
      case 'call_taken_over':
        return this.#hold(message.supervisorId === supervisorId ? 'us' : 'other');
      case 'call_handed_back':
        return this.#hold('agent');
      case 'refused':
        if (this.#state.phase !== 'connected' || this.#state.holder !== 'us') this.#line?.audio.stopCapture();
        return this.#notice(message.detail);
      case 'other':
        return;
    }
  }

  #hold(holder: 'agent' | 'us' | 'other'): void {
    this.#set({ phase: 'connected', holder, notice: null });
  }

  #notice(notice: string): void {
    if (this.#state.phase === 'connected') this.#set({ ...this.#state, notice });
  }

  #send(message: object): void {
    if (this.#line?.socket?.readyState === WebSocket.OPEN) this.#line.socket.send(JSON.stringify(message));
  }

  #end(error: Error | null): void {
    const line = this.#line;
    this.#line = null;
    line?.socket?.close(1000);
    line?.audio.close();
    this.#set({ phase: 'off', error });
  }

  #set(state: SupervisionState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}
