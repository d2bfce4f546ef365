/** Maximum sample rate of the API. */
const MAX_RATE_HZ = 48_000;
/** Delay that compensates the jitter of the network. */
const START_DELAY_S = 0.06;
/** Maximum length of audio that waits for playback. Beyond it, the newest audio is skipped. */
const MAX_DELAY_S = 0.3;

/** Plays mono PCM as it arrives, and captures the microphone as PCM. */
export class LiveAudio {
  readonly #context: AudioContext;
  #nextS = 0;
  #capture: { track: MediaStreamTrack; source: MediaStreamAudioSourceNode } | null = null;

  /** Call it in a click handler; otherwise the browser blocks audio. */
  constructor() {
    const context = new AudioContext();
    this.#context =
      context.sampleRate <= MAX_RATE_HZ ? context : new AudioContext({ sampleRate: MAX_RATE_HZ });
    if (this.#context !== context) void context.close();
  }

  /** Rate of the audio in both directions. */
  get sampleRateHz(): number {
    return this.#context.sampleRate;
  }

  /** `bytes`: signed 16-bit little-endian. */
  play(bytes: ArrayBuffer): void {
    const samples = new Int16Array(bytes);
    const { currentTime, sampleRate, destination } = this.#context;
    if (samples.length === 0 || this.#nextS - currentTime > MAX_DELAY_S) return;
    const buffer = this.#context.createBuffer(1, samples.length, sampleRate);
    buffer.copyToChannel(
      Float32Array.from(samples, (sample) => sample / 32_768),
      0,
    );
    const source = this.#context.createBufferSource();
    source.buffer = buffer;
    source.connect(destination);
    const startS = this.#nextS > currentTime ? this.#nextS : currentTime + START_DELAY_S;
    source.start(startS);
    this.#nextS = startS + buffer.duration;
  }

  /** Takes ownership of the track. */
  async capture(track: MediaStreamTrack, onPcm: (pcm: ArrayBuffer) => void): Promise<void> {
    this.stopCapture();
    const source = this.#context.createMediaStreamSource(new MediaStream([track]));
    this.#capture = { track, source };
    await this.#context.audioWorklet.addModule('/capture-worklet.js');
    const worklet = new AudioWorkletNode(this.#context, 'capture', { numberOfOutputs: 0, channelCount: 1 });
    worklet.port.onmessage = ({ data }: MessageEvent<Int16Array<ArrayBuffer>>) => {
      if (this.#capture?.source === source) onPcm(data.buffer);
    };
    source.connect(worklet);
  }

  /** Releases the microphone. Idempotent. */
  stopCapture(): void {
    this.#capture?.source.disconnect();
    this.#capture?.track.stop();
    this.#capture = null;
  }

  close(): void {
    this.stopCapture();
    void this.#context.close();
  }
}
