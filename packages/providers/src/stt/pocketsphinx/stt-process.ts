import { spawn, type ChildProcess } from 'node:child_process';
import type { FileHandle } from 'node:fs/promises';
import { ProviderError } from '@calls/engine-ports/provider-error';
import { toError } from '@calls/foundation/errors';
import { openNamelessFile, replaceContent } from '../../nameless-file.ts';
import { processCpuMs } from './process-cpu.ts';
import { notInstalled, parseLogLine, POCKETSPHINX, shellArguments, utteranceLine } from './wire.ts';

export interface Decoded {
  text: string;
  /** CPU time of the utterance; null if the program did not report it. */
  cpuMs: number | null;
}

interface Decoding extends Decoded {
  utteranceId: string;
  resolve: (decoded: Decoded) => void;
  reject: (err: Error) => void;
}

/** Why an STT process ended. `hadWorked`: it has transcribed before, so a restart is likely to work. */
export interface SttProcessEnd {
  err: ProviderError;
  hadWorked: boolean;
}

/**
 * One pocketsphinx process with a loaded model, for one utterance at a time. The audio is in an unlinked file that the
 * process reads again for each line of its list of utterances. It writes the transcript to its log.
 */
export class SttProcess {
  readonly pid: number | undefined;
  /** Settles when the process has exited; never rejects. */
  readonly end: Promise<SttProcessEnd>;
  readonly #process: ChildProcess;
  readonly #audio: FileHandle;
  #decoding: Decoding | undefined;
  #utterances = 0;
  #hadWorked = false;
  #lastError = '';
  /** Why the process ended. */
  #error: ProviderError | undefined;

  /** `settings`: options of the program instead of SEARCH_SETTINGS. */
  static async start(binary: string, modelDir: string, settings?: readonly string[]): Promise<SttProcess> {
    const shellArgs = shellArguments(binary, modelDir, settings);
    return new SttProcess(binary, shellArgs, await openNamelessFile());
  }

  private constructor(binary: string, shellArgs: readonly string[], audio: FileHandle) {
    this.#audio = audio;
    // Uses its own process group, so that `kill` reaches all of it and Ctrl-C in the terminal none of it.
    const process = spawn('/bin/sh', shellArgs, {
      // The last one has the number AUDIO_FD in the process.
      stdio: ['pipe', 'ignore', 'pipe', audio.fd],
      detached: true,
    });
    this.#process = process;
    this.pid = process.pid;
    process.stdin?.on('error', () => undefined);
    let unfinished = '';
    process.stderr?.setEncoding('utf8').on('data', (text: string) => {
      const lines = (unfinished + text).split('\n');
      unfinished = lines.pop() ?? '';
      for (const line of lines) this.#readLog(line);
    });
    // The process has exited. Closing the input ends the rest of its process group.
    process.stderr?.on('end', () => process.stdin?.destroy());
    this.end = new Promise((resolve) => {
      process.on('error', (err) => {
        this.#lastError = err.message;
        // A process that failed to start emits no `close`.
        if (process.pid === undefined) resolve(this.#finish(binary, null));
      });
      process.on('close', (code) => resolve(this.#finish(binary, code)));
    });
  }

  /** False once the process is known to have exited. */
  get isAlive(): boolean {
    return this.#error === undefined;
  }

  /** Transcribes `pcm` (16 kHz). Rejects if the process exits before the result. */
  async decode(pcm: Uint8Array): Promise<Decoded> {
    try {
      await replaceContent(this.#audio, pcm);
    } catch (cause) {
      throw this.#error ?? new ProviderError(POCKETSPHINX, 'cut', 'failed to write the audio', { cause });
    }
    if (this.#error) throw this.#error;
    this.#utterances += 1;
    const utteranceId = `u${this.#utterances}`;
    return new Promise((resolve, reject) => {
      this.#decoding = { utteranceId, text: '', cpuMs: null, resolve, reject };
      this.#process.stdin?.write(utteranceLine(utteranceId));
    });
  }

  /** CPU time used so far; null if it cannot be read. */
  cpuMs(): Promise<number | null> {
    return this.pid === undefined ? Promise.resolve(null) : processCpuMs(this.pid);
  }

  /** Kills the process, even if it is stopped. Idempotent. */
  kill(): void {
    if (this.#error || this.pid === undefined) return;
    this.#process.stdin?.destroy();
    for (const signal of ['SIGTERM', 'SIGCONT'] as const) signalGroup(this.pid, signal);
  }

  #readLog(line: string): void {
    const parsed = parseLogLine(line);
    switch (parsed.type) {
      case 'hypothesis':
        if (this.#decoding?.utteranceId === parsed.utteranceId) this.#decoding.text = parsed.text;
        break;
      case 'cost':
        if (this.#decoding?.utteranceId === parsed.utteranceId) this.#decoding.cpuMs = parsed.cpuMs;
        break;
      case 'done': {
        const decoding = this.#decoding;
        if (decoding?.utteranceId !== parsed.utteranceId) break;
        this.#decoding = undefined;
        this.#hadWorked = true;
        decoding.resolve({ text: decoding.text, cpuMs: decoding.cpuMs });
        break;
      }
      case 'error':
        this.#lastError = parsed.message.slice(0, 200);
        break;
      case 'other':
        break;
    }
  }

  #finish(binary: string, exitCode: number | null): SttProcessEnd {
    const err = this.#endError(binary, exitCode);
    this.#error = err;
    this.#audio.close().catch(() => undefined);
    this.#decoding?.reject(err);
    this.#decoding = undefined;
    return { err, hadWorked: this.#hadWorked };
  }

  #endError(binary: string, exitCode: number | null): ProviderError {
    if (this.#hadWorked) return new ProviderError(POCKETSPHINX, 'cut', 'the speech-to-text process ended');
    if (exitCode === 127) return notInstalled(binary);
    const why = this.#lastError || 'it ended before its first response';
    return new ProviderError(POCKETSPHINX, 'unavailable', `the speech-to-text process did not start: ${why}`);
  }
}

function signalGroup(leaderPid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leaderPid, signal);
  } catch (thrown) {
    // ESRCH: the process has just exited by itself.
    if ((toError(thrown) as NodeJS.ErrnoException).code !== 'ESRCH') throw thrown;
  }
}
