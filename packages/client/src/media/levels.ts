/** Number of analyzed samples: about 10 ms. */
const WINDOW_SAMPLES = 512;
const QUIETEST_DBFS = -60;

/** Audio levels of both sides: 0 (−60 dBFS or less) to 1 (full scale), linear in dB. */
export interface AudioLevels {
  readonly microphone: number;
  readonly agent: number;
}

interface Meter {
  track: MediaStreamTrack;
  source: MediaStreamAudioSourceNode;
  analyser: AnalyserNode;
}

/** 0: −60 dBFS or less; 1: full scale; linear in dB. */
export function levelOf(samples: Float32Array): number {
  let energy = 0;
  for (const sample of samples) energy += sample * sample;
  const dbfs = 10 * Math.log10(energy / samples.length);
  return Math.max(0, Math.min(1, 1 - dbfs / QUIETEST_DBFS));
}

/** Current levels of tracks. Analysis starts with the first reading. */
export class Levels {
  readonly #samples = new Float32Array(WINDOW_SAMPLES);
  readonly #meters = new Map<string, Meter>();
  #context: AudioContext | null = null;

  /** `name`: identifies the side; a new track replaces the previous one. */
  read(name: string, track: MediaStreamTrack | null): number {
    const meter = this.#meters.get(name);
    if (meter && meter.track !== track) {
      meter.source.disconnect();
      this.#meters.delete(name);
    }
    if (!track) return 0;
    const { analyser } = this.#meters.get(name) ?? this.#measure(name, track);
    analyser.getFloatTimeDomainData(this.#samples);
    return levelOf(this.#samples);
  }

  /** Call it in a click handler if the browser blocks audio. */
  async resume(): Promise<void> {
    await this.#context?.resume();
  }

  close(): void {
    for (const { source } of this.#meters.values()) source.disconnect();
    this.#meters.clear();
    void this.#context?.close();
    this.#context = null;
  }

  #measure(name: string, track: MediaStreamTrack): Meter {
    this.#context ??= new AudioContext();
    const source = this.#context.createMediaStreamSource(new MediaStream([track]));
    const analyser = this.#context.createAnalyser();
    analyser.fftSize = WINDOW_SAMPLES;
    source.connect(analyser);
    const meter = { track, source, analyser };
    this.#meters.set(name, meter);
    return meter;
  }
}
