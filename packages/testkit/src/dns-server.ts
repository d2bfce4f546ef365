import { createSocket, type Socket } from 'node:dgram';

/** The records of a name: addresses, and its canonical name. */
export interface DnsRecords {
  A?: readonly string[];
  AAAA?: readonly string[];
  /** The addresses then belong to this name. */
  CNAME?: string;
  SRV?: readonly { priority: number; weight: number; port: number; target: string }[];
  NAPTR?: readonly NaptrRecord[];
  /** TTL of the records; default 0. */
  ttlS?: number;
}

interface NaptrRecord {
  order: number;
  preference: number;
  flags: string;
  service: string;
  regexp: string;
  replacement: string;
}

type RecordType = 'A' | 'AAAA' | 'SRV' | 'NAPTR';

const TYPES: Readonly<Record<number, RecordType>> = { 1: 'A', 28: 'AAAA', 33: 'SRV', 35: 'NAPTR' };
const CNAME = 5;
const HEADER_BYTES = 12;
const ANSWERED = 0x8180;
const NO_SUCH_NAME = 3;
/** A pointer to the queried name in a message. */
const THE_NAME = Buffer.from([0xc0, HEADER_BYTES]);

/** A DNS server on a port of 127.0.0.1. */
export class DnsServer implements AsyncDisposable {
  readonly #socket: Socket;
  readonly #zone = new Map<string, DnsRecords[]>();
  readonly #asked = new Map<string, number>();
  readonly #held = new Map<string, { onQuery: () => void; responses: (() => void)[] }>();

  static async start(): Promise<DnsServer> {
    const socket = createSocket('udp4');
    await new Promise<void>((bound) => socket.bind(0, '127.0.0.1', bound));
    return new DnsServer(socket);
  }

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('message', (query, { port, address }) => {
      const respond = (): void => socket.send(this.#answerTo(query), port, address);
      const held = this.#held.get(nameAt(query, HEADER_BYTES).name);
      if (!held) return respond();
      held.responses.push(respond);
      held.onQuery();
    });
  }

  /** Host and port. */
  get address(): string {
    return `127.0.0.1:${this.#socket.address().port}`;
  }

  /** Successive queries get successive records; the last one repeats. */
  set(name: string, ...records: DnsRecords[]): void {
    this.#zone.set(name, records);
    for (const type of Object.values(TYPES)) this.#asked.delete(`${name} ${type}`);
  }

  /** Holds queries for the name until released; resolves with the first one. */
  hold(name: string): Promise<void> {
    return new Promise((onQuery) => this.#held.set(name, { onQuery, responses: [] }));
  }

  release(name: string): void {
    const responses = this.#held.get(name)?.responses ?? [];
    this.#held.delete(name);
    for (const respond of responses) respond();
  }

  /** Number of queries for the name's IPv4 addresses. */
  lookUps(name: string): number {
    return this.#asked.get(`${name} A`) ?? 0;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return new Promise((closed) => this.#socket.close(closed));
  }

  #answerTo(query: Buffer): Buffer {
    const { name, end } = nameAt(query, HEADER_BYTES);
    const typeCode = query.readUInt16BE(end);
    const known = this.#zone.get(name);
    const rows = known ? this.#rows(name, known, typeCode) : [];
    const header = Buffer.alloc(HEADER_BYTES);
    query.copy(header, 0, 0, 2);
    header.writeUInt16BE(ANSWERED | (known ? 0 : NO_SUCH_NAME), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(rows.length, 6);
    return Buffer.concat([header, query.subarray(HEADER_BYTES, end + 4), ...rows]);
  }

  #rows(name: string, known: readonly DnsRecords[], typeCode: number): Buffer[] {
    const type = TYPES[typeCode] ?? null;
    const key = `${name} ${String(type)}`;
    const nth = this.#asked.get(key) ?? 0;
    this.#asked.set(key, nth + 1);
    const records = known[Math.min(nth, known.length - 1)] ?? {};
    const { ttlS = 0 } = records;
    const alias = records.CNAME === undefined ? null : wireName(records.CNAME);
    const owner = alias ?? THE_NAME;
    return [
      ...(alias ? [row(THE_NAME, CNAME, ttlS, alias)] : []),
      ...dataOf(records, type).map((data) => row(owner, typeCode, ttlS, data)),
    ];
  }
}

function dataOf(records: DnsRecords, type: RecordType | null): Buffer[] {
  if (type === 'A') return (records.A ?? []).map(ipv4);
  if (type === 'AAAA') return (records.AAAA ?? []).map(ipv6);
  if (type === null) return [];
  if (type === 'NAPTR') return (records.NAPTR ?? []).map(naptr);
  return (records.SRV ?? []).map(({ priority, weight, port, target }) => {
    const numbers = Buffer.alloc(6);
    [priority, weight, port].forEach((number, i) => numbers.writeUInt16BE(number, 2 * i));
    return Buffer.concat([numbers, wireName(target)]);
  });
}

function naptr({ order, preference, flags, service, regexp, replacement }: NaptrRecord): Buffer {
  const numbers = Buffer.alloc(4);
  numbers.writeUInt16BE(order, 0);
  numbers.writeUInt16BE(preference, 2);
  const texts = [flags, service, regexp].map((text) =>
    Buffer.from(`${String.fromCharCode(text.length)}${text}`, 'latin1'),
  );
  return Buffer.concat([numbers, ...texts, wireName(replacement)]);
}

function nameAt(message: Buffer, from: number): { name: string; end: number } {
  const labels: string[] = [];
  let at = from;
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 };
}

function wireName(name: string): Buffer {
  const labels = name
    .split('.')
    .filter((label) => label !== '')
    .map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`, 'latin1'));
  return Buffer.concat([...labels, Buffer.alloc(1)]);
}

function row(owner: Buffer, type: number, ttlS: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt32BE(ttlS, 4);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([owner, fixed, data]);
}

function ipv4(address: string): Buffer {
  return Buffer.from(address.split('.').map(Number));
}

function ipv6(address: string): Buffer {
  // The URL parser normalizes addresses to hexadecimal groups.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (text = ''): number[] =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
  const before = groups(head);
  const after = groups(tail);
  const between = Array<number>(8 - before.length - after.length).fill(0);
  const bytes = Buffer.alloc(16);
  [...before, ...between, ...after].forEach((group, i) => bytes.writeUInt16BE(group, 2 * i));
  return bytes;
}
