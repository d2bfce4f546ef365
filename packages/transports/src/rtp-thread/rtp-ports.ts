import { AppError, toError } from '@calls/foundation/errors';
import type { RtpChannel, RtpEngine } from './rtp-channel.ts';

/** Only even ports are used. */
export interface RtpPortRange {
  first: number;
  last: number;
}

export interface RtpPortsOptions {
  /** Listening address: one of this machine, or 0.0.0.0 or ::. */
  host: string;
  /** The same for the other address family. */
  otherHost?: string | undefined;
  range: RtpPortRange;
  engine: RtpEngine;
}

/** Every port of the range is in use. */
export class NoRtpPortError extends AppError {
  constructor() {
    super('no_rtp_port', 'all RTP ports are in use', { retryable: true });
  }
}

/** The UDP ports for call media. Shared by all calls of a worker. */
export class RtpPorts {
  readonly #engine: RtpEngine;
  readonly #hosts: readonly string[];
  /** Ports that have been free longest come first, because late packets of an ended call may still arrive. */
  readonly #free: number[];
  #taken = 0;

  constructor({ host, otherHost, range, engine }: RtpPortsOptions) {
    this.#hosts = otherHost === undefined ? [host] : [host, otherHost];
    this.#free = evenPorts(range);
    this.#engine = engine;
  }

  /** Number of ports in use by calls. */
  get taken(): number {
    return this.#taken;
  }

  /** Throws a NoRtpPortError, or the system error if it does not concern the port. */
  async open(): Promise<RtpChannel> {
    for (let left = this.#free.length; left > 0; left -= 1) {
      const port = this.#free.shift();
      const opened = port === undefined ? null : await this.#tryOpen(port);
      if (opened) return opened;
    }
    throw new NoRtpPortError();
  }

  /** Null if another process uses the port. */
  async #tryOpen(port: number): Promise<RtpChannel | null> {
    this.#taken += 1;
    const giveBack = (): void => {
      this.#taken -= 1;
      this.#free.push(port);
    };
    try {
      return await this.#engine.open(this.#hosts, port, giveBack);
    } catch (thrown) {
      giveBack();
      if (isOthers(toError(thrown))) return null;
      throw thrown;
    }
  }
}

function evenPorts({ first, last }: RtpPortRange): number[] {
  const begin = first + (first % 2);
  return Array.from({ length: Math.max(0, Math.floor((last - begin) / 2) + 1) }, (_, i) => begin + 2 * i);
}

function isOthers(err: NodeJS.ErrnoException): boolean {
  return err.code === 'EADDRINUSE' || err.code === 'EACCES';
}
