import { CallError } from '../call-error.ts';
import { CallSession } from '../call-session.ts';
import { checkBrowser } from '../check-browser.ts';
import { openMicrophone } from '../media/devices.ts';
import { TEXTS, type FailureCode, type Texts, type WidgetState } from './widget-state.ts';
import { WidgetView } from './widget-view.ts';

const CREATE_LIMIT_MS = 15_000;

/** The page's server returned no join URL. */
class CallNotCreatedError extends Error {
  readonly code = 'call_not_created';
}

/**
 * `<calls-widget call-url="/call">`: a call with an agent in a page. `call-url` is an address of the page's own server,
 * which creates the call and responds to a POST with `{"joinUrl": "…"}`. Further attributes: `theme` (`light`, `dark`),
 * `floating`, `texts` (JSON, see TEXTS). Each change of its state is a `calls-state` event.
 */
export class CallsWidget extends HTMLElement {
  /** For client tools, events and data messages. */
  readonly session = new CallSession({ clientVersion: 'calls-widget' });
  readonly #view: WidgetView;
  #state: WidgetState = { phase: 'idle' };
  #isAudioBlocked = false;
  /** Aborts the running attempt to start a call when the user cancels. */
  #starting: AbortController | null = null;
  #texts = TEXTS;
  #frame = 0;
  readonly #onPageHide = (): void => this.#stop();

  constructor() {
    super();
    this.#view = new WidgetView(this.attachShadow({ mode: 'open', delegatesFocus: true }), {
      onMain: () => this.#onMain(),
      onMute: () => this.session.toggleMicMute(),
      onSound: () => {
        this.#isAudioBlocked = false;
        this.#show();
        void this.session.resumeAudio();
      },
    });
    this.session.addEventListener('status', ({ detail: status }) => {
      if (this.#state.phase === 'talking' && status !== 'disconnected')
        this.#set({ phase: 'talking', status });
    });
    this.session.addEventListener('mute', () => this.#show());
    this.session.addEventListener('audio_blocked', () => {
      this.#isAudioBlocked = true;
      this.#show();
    });
    this.session.addEventListener('ended', ({ detail: { error } }) => {
      if (this.#state.phase !== 'talking') return;
      if (error) this.#fail(error);
      else this.#set({ phase: 'ended' });
    });
  }

  get state(): WidgetState {
    return this.#state;
  }

  connectedCallback(): void {
    addEventListener('pagehide', this.#onPageHide);
    this.#texts = { ...TEXTS, ...this.#ownTexts() };
    this.#show();
  }

  disconnectedCallback(): void {
    // Moving the element within the page does not end the call.
    queueMicrotask(() => {
      if (this.isConnected) return;
      removeEventListener('pagehide', this.#onPageHide);
      this.#stop();
    });
  }

  /** Call it in a click handler: browsers play no audio otherwise. */
  async start(): Promise<void> {
    if (this.#starting || this.#state.phase === 'talking') return;
    const starting = new AbortController();
    const { signal } = starting;
    this.#starting = starting;
    this.#isAudioBlocked = false;
    let microphone: MediaStreamTrack | null = null;
    try {
      checkBrowser();
      this.#set({ phase: 'asking' });
      // Opened first, so that no call waits for the user's permission.
      microphone = await openMicrophone(null);
      signal.throwIfAborted();
      this.#set({ phase: 'connecting' });
      const joinUrl = await this.#createCall(signal);
      await this.session.joinCall(joinUrl, { microphone });
      signal.throwIfAborted();
      this.#set({ phase: 'talking', status: this.session.status });
      this.#drawLevels();
    } catch (thrown) {
      if (!signal.aborted) this.#fail(thrown);
    } finally {
      // The session uses a copy.
      microphone?.stop();
      if (this.#starting === starting) this.#starting = null;
    }
  }

  /** Hangs up, or cancels the start. */
  #stop(): void {
    this.#starting?.abort();
    this.#starting = null;
    if (this.#state.phase === 'asking' || this.#state.phase === 'connecting') this.#set({ phase: 'idle' });
    void this.session.leaveCall();
  }

  #onMain(): void {
    if (this.#starting || this.#state.phase === 'talking') this.#stop();
    else void this.start();
  }

  /** Resolves to the join URL. */
  async #createCall(signal: AbortSignal): Promise<string> {
    try {
      const url = this.getAttribute('call-url');
      if (!url) throw new Error('is not set');
      const response = await fetch(url, {
        method: 'POST',
        headers: { accept: 'application/json' },
        signal: AbortSignal.any([signal, AbortSignal.timeout(CREATE_LIMIT_MS)]),
      });
      if (!response.ok) throw new Error(`the server responded with ${response.status}`);
      const { joinUrl } = (await response.json()) as { joinUrl?: unknown };
      if (typeof joinUrl !== 'string') throw new Error('the response has no joinUrl');
      return joinUrl;
    } catch (thrown) {
      const reason = thrown instanceof Error ? thrown.message : String(thrown);
      throw new CallNotCreatedError(`call-url: ${reason}`, { cause: thrown });
    }
  }

  #fail(thrown: unknown): void {
    const isKnown = thrown instanceof CallError || thrown instanceof CallNotCreatedError;
    const code: FailureCode = isKnown ? thrown.code : 'connection_failed';
    this.#set({ phase: 'failed', code }, thrown);
  }

  #set(state: WidgetState, error: unknown = null): void {
    this.#state = state;
    this.#show();
    const detail = { ...state, error };
    this.dispatchEvent(new CustomEvent('calls-state', { detail, bubbles: true, composed: true }));
  }

  #show(): void {
    this.#view.show({
      state: this.#state,
      texts: this.#texts,
      isMuted: this.session.isMicMuted,
      isAudioBlocked: this.#isAudioBlocked,
    });
  }

  #ownTexts(): Partial<Texts> {
    try {
      return JSON.parse(this.getAttribute('texts') ?? '{}') as Partial<Texts>;
    } catch (thrown) {
      reportError(new Error('calls-widget: the attribute texts must be JSON', { cause: thrown }));
      return {};
    }
  }

  #drawLevels(): void {
    cancelAnimationFrame(this.#frame);
    if (this.#state.phase !== 'talking') return;
    this.#view.showLevels(this.session.levels);
    this.#frame = requestAnimationFrame(() => this.#drawLevels());
  }
}
