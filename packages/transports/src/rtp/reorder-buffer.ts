import { ArrivalEstimate } from './arrival-estimate.ts';
import { fillGap, type Playout, type RtpAudioCodec } from './playout.ts';
import type { RtpPacket } from './rtp-packet.ts';
import { SequenceExtender, timestampDelta } from './sequence.ts';

export interface ReorderStatistics {
  /** Packets of the stream that arrived, including unusable ones. */
  received: number;
  /** Missing packets that are considered lost. */
  lost: number;
  /** Lost packets that were recovered from their successor. */
  recovered: number;
  /** Lost packets that were concealed. */
  concealed: number;
  /** Packets that arrived after they were considered lost, or duplicates. */
  late: number;
  duplicate: number;
  /** Packets with malformed audio; treated as lost. */
  malformed: number;
  jitterMs: number;
  /** Current waiting time for a missing packet. */
  waitMs: number;
}

/** Size of the window of distinguishable packets, a power of two. */
const CAPACITY_PACKETS = 256;
/** A longer run of missing packets is considered lost immediately. */
const MAX_HOLE_PACKETS = 64;
/** With more buffered packets, missing ones are considered lost immediately. */
const MAX_HELD_PACKETS = 128;
const MAX_HELD_BYTES = 128 * 1024;
/** A larger jump of the timestamps is a restart of the source. */
const MAX_GAP_MS = 30_000;

interface Slot {
  position: number;
  state: 'missing' | 'held' | 'done' | 'lost';
  /** Null for a packet without audio. */
  payload: Uint8Array | null;
  timestamp: number;
  /** Duration of its audio, in timestamp units. */
  duration: number;
  /** For a missing packet: arrival time of the first later packet. */
  sinceMs: number;
  /** Number of lost packets right before it without a slot. */
  skipped: number;
  /** Whether the timestamps restart with this packet. */
  isBeginning: boolean;
}

/**
 * Puts the packets of one audio stream in order. Packets in order are released immediately: there is no playout delay,
 * because STT engines need no steady pace. Only missing packets are waited for, 20 to 120 ms, depending on past
 * arrivals. Bounded in packets and bytes. Pure: the caller passes the time. After each `push`, and at `nextDueMs`, call
 * `due` until it returns null.
 */
export class ReorderBuffer {
  readonly #codec: RtpAudioCodec;
  readonly #extender = new SequenceExtender();
  readonly #arrivals: ArrivalEstimate;
  readonly #slots: Slot[];
  readonly #counts = {
    received: 0,
    lost: 0,
    recovered: 0,
    concealed: 0,
    late: 0,
    duplicate: 0,
    malformed: 0,
  };
  #ssrc: number | null = null;
  /**
   * Position = extended sequence number - shift. Runs of missing packets that are considered lost immediately take no
   * positions.
   */
  #shift = 0;
  /** Packets with lower extended sequence numbers are too late. */
  #floor = -Infinity;
  #expected = 0;
  #highest = -1;
  #heldPackets = 0;
  #heldBytes = 0;
  /** Packets considered lost since the last released one. */
  #lostRun = 0;
  /** End of the released audio in timestamp units; null before the first packet. */
  #end: number | null = null;
  #packetMs = 20;
  #ready: Playout[] = [];

  constructor(codec: RtpAudioCodec) {
    this.#codec = codec;
    this.#arrivals = new ArrivalEstimate(codec.clockRateHz);
    this.#slots = Array.from({ length: CAPACITY_PACKETS }, () => ({
      position: -1,
      state: 'done',
      payload: null,
      timestamp: 0,
      duration: 0,
      sinceMs: 0,
      skipped: 0,
      isBeginning: false,
    }));
  }

  get statistics(): ReorderStatistics {
    return { ...this.#counts, jitterMs: this.#arrivals.jitterMs, waitMs: this.#arrivals.waitMs };
  }

  /** Adds an audio packet of the stream. Its payload is referenced, not copied, until the packet is released. */
  push(packet: RtpPacket, arrivalMs: number): void {
    const duration = this.#codec.durationOf(packet.payload);
    if (duration === null) this.#counts.malformed += 1;
    else this.#place(packet, packet.payload, duration, arrivalMs);
  }

  /** Adds a packet without audio (telephone event, padding), so that it does not count as lost. */
  pushOther(packet: RtpPacket, arrivalMs: number): void {
    this.#place(packet, null, 0, arrivalMs);
  }

  /** The next audio that is ready; null if there is none. */
  due(nowMs: number): Playout | null {
    const ready = this.#ready.shift();
    if (ready) return ready;
    while (this.#expected <= this.#highest) {
      const slot = this.#slot(this.#expected);
      if (slot.state === 'held') {
        const playout = this.#take(slot);
        if (playout) return playout;
      } else {
        if (!this.#isFull() && nowMs < slot.sinceMs + this.#arrivals.waitMs) return null;
        this.#giveUp(slot);
      }
    }
    return null;
  }

  /** When `due` may return something without another push; null if nothing is waited for. */
  nextDueMs(): number | null {
    if (this.#ready.length > 0) return -Infinity;
    if (this.#expected > this.#highest) return null;
    const slot = this.#slot(this.#expected);
    return slot.state === 'held' ? -Infinity : slot.sinceMs + this.#arrivals.waitMs;
  }

  #place(packet: RtpPacket, payload: Uint8Array | null, duration: number, arrivalMs: number): void {
    this.#counts.received += 1;
    const before = this.#extender.highest;
    const { restarts } = this.#extender;
    const extended = this.#extend(packet);
    if (extended === null || extended < this.#floor) {
      this.#counts.late += 1;
      return;
    }
    if (before === null) {
      this.#expected = extended;
      this.#highest = extended - 1;
    }
    let skipped = 0;
    if (extended - this.#shift > this.#highest) {
      skipped = this.#openHole(extended, arrivalMs);
      if (payload) this.#arrivals.arrived(packet.timestamp, arrivalMs);
    } else if (!this.#fill(extended - this.#shift, arrivalMs)) {
      return;
    }
    const slot = this.#slot(extended - this.#shift);
    slot.position = extended - this.#shift;
    slot.state = 'held';
    slot.payload = payload;
    slot.timestamp = packet.timestamp;
    slot.duration = duration;
    slot.skipped = skipped;
    slot.isBeginning = this.#extender.restarts !== restarts;
    this.#heldPackets += 1;
    this.#heldBytes += payload?.length ?? 0;
  }

  #extend(packet: RtpPacket): number | null {
    const { restarts } = this.#extender;
    const isOther = this.#ssrc !== null && this.#ssrc !== packet.ssrc;
    this.#ssrc = packet.ssrc;
    const extended = isOther
      ? this.#extender.restart(packet.sequenceNumber)
      : this.#extender.extend(packet.sequenceNumber);
    if (this.#extender.restarts !== restarts) this.#arrivals.restarted();
    return extended;
  }

  /**
   * Opens slots up to a packet that is later than all others. Returns how many missing packets before it got no slot.
   */
  #openHole(extended: number, arrivalMs: number): number {
    const missing = extended - this.#shift - this.#highest - 1;
    const skipped = missing > MAX_HOLE_PACKETS ? missing : 0;
    if (skipped > 0) {
      this.#shift += skipped;
      this.#floor = extended;
    }
    const position = extended - this.#shift;
    while (position - this.#expected >= CAPACITY_PACKETS) this.#dropOldest();
    for (let hole = this.#highest + 1; hole < position; hole += 1) {
      const slot = this.#slot(hole);
      slot.position = hole;
      slot.state = 'missing';
      slot.sinceMs = arrivalMs;
    }
    this.#highest = position;
    return skipped;
  }

  /** Fills the slot of a missing packet. Returns false if it is too late or a duplicate. */
  #fill(position: number, arrivalMs: number): boolean {
    const slot = this.#slot(position);
    const { state } = slot;
    if (slot.position !== position) {
      this.#counts.late += 1;
      return false;
    }
    if (state === 'held' || state === 'done') {
      this.#counts.duplicate += 1;
      return false;
    }
    this.#arrivals.filled(arrivalMs - slot.sinceMs);
    if (state === 'missing') return true;
    this.#counts.late += 1;
    slot.state = 'done';
    return false;
  }

  #isFull(): boolean {
    return this.#heldPackets > MAX_HELD_PACKETS || this.#heldBytes > MAX_HELD_BYTES;
  }

  #dropOldest(): void {
    const slot = this.#slot(this.#expected);
    if (slot.state === 'held') this.#release(slot);
    this.#giveUp(slot);
  }

  #giveUp(slot: Slot): void {
    slot.state = 'lost';
    this.#expected += 1;
    this.#lostRun += 1;
    this.#counts.lost += 1;
    this.#arrivals.gaveUp();
  }

  #release(slot: Slot): void {
    this.#heldPackets -= 1;
    this.#heldBytes -= slot.payload?.length ?? 0;
    slot.payload = null;
    slot.state = 'done';
  }

  /** Removes the next packet and queues its playout, preceded by the recovery or concealment of missing packets. */
  #take(slot: Slot): Playout | null {
    const { payload, timestamp, duration } = slot;
    this.#release(slot);
    this.#expected += 1;
    this.#lostRun += slot.skipped;
    this.#counts.lost += slot.skipped;
    if (payload === null) return null;
    const decode: Playout = { type: 'decode', payload, durationMs: this.#toMs(duration) };
    const absentMs =
      this.#end === null || slot.isBeginning ? 0 : this.#toMs(timestampDelta(timestamp, this.#end));
    if (absentMs > 0 && absentMs <= MAX_GAP_MS) {
      this.#ready = fillGap({
        durationMs: absentMs,
        lostPackets: this.#lostRun,
        packetMs: this.#packetMs,
        next: payload,
        nextCarriesPrevious: this.#lostRun > 0 && this.#codec.carriesPrevious(payload),
      });
      this.#countFilled(this.#ready);
      this.#ready.push(decode);
    }
    this.#lostRun = 0;
    this.#end = (timestamp + duration) >>> 0;
    this.#packetMs = decode.durationMs;
    return this.#ready.shift() ?? decode;
  }

  #countFilled(filled: readonly Playout[]): void {
    for (const { type, durationMs } of filled) {
      const packets = Math.ceil(durationMs / this.#packetMs);
      if (type === 'recover') this.#counts.recovered += packets;
      else if (type === 'conceal') this.#counts.concealed += packets;
    }
  }

  #slot(position: number): Slot {
    const slot = this.#slots[position & (CAPACITY_PACKETS - 1)];
    if (!slot) throw new RangeError('no slot at this position');
    return slot;
  }

  #toMs(units: number): number {
    return (units * 1000) / this.#codec.clockRateHz;
  }
}
