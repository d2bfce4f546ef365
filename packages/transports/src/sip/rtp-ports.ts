import { AppError, type Clock } from '@calls/foundation';

/** Only even ones are used. */
export interface RtpPortRange {
  first: number;
  last: number;
}

export interface RtpPortsOptions {
  /** Where to listen: an IPv4 address of this machine, or 0.0.0.0. */
  host: string;
  range: RtpPortRange;
  clock: Clock;
}

/** Every port of the range is taken. */
export class NoRtpPortError extends AppError {
  constructor() {
    super('no_rtp_port', 'every port for RTP is taken', { retryable: true });
  }
}

/** The UDP ports that calls' media comes in at. One for all calls of a worker. */
export class RtpPorts {
  constructor(_options: RtpPortsOptions) {}

  /** How many calls have one. */
  get taken(): number {
    return 0;
  }
}
