import { createSocket, type Socket } from 'node:dgram';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createDnsResolve, type Resolve } from './resolver.ts';

const TYPE_A = 1;
const TYPE_AAAA = 28;
const NAME_ERROR = 3;

/** A DNS server: the addresses of names by type, as they stand on the wire. */
let server: Socket;
let records: Map<string, Partial<Record<number, number[][]>>>;
let resolve: Resolve;

beforeEach(async () => {
  records = new Map();
  server = createSocket('udp4');
  server.on('message', (query, { port, address }) => server.send(answerTo(query), port, address));
  await new Promise<void>((bound) => server.bind(0, '127.0.0.1', bound));
  resolve = createDnsResolve([`127.0.0.1:${server.address().port}`]);
});
afterEach(() => {
  server.close();
});

function answerTo(query: Buffer): Buffer {
  const labels: string[] = [];
  let at = 12;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const type = query.readUInt16BE(at + 1);
  const known = records.get(labels.join('.'));
  const answers = known?.[type] ?? [];
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8180 | (known ? 0 : NAME_ERROR), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(answers.length, 6);
  const rows = answers.map((data) =>
    Buffer.from([0xc0, 12, type >> 8, type & 255, 0, 1, 0, 0, 0, 0, 0, data.length, ...data]),
  );
  return Buffer.concat([header, query.subarray(12, at + 5), ...rows]);
}

const V6 = [0x26, 0x06, 0x47, 0, ...Array<number>(11).fill(0), 0x11];

describe('the DNS', () => {
  it('gives all addresses of a name, of both kinds', async () => {
    records.set('both.test', {
      [TYPE_A]: [
        [192, 0, 2, 1],
        [10, 0, 0, 1],
      ],
      [TYPE_AAAA]: [V6],
    });
    records.set('old.test', { [TYPE_A]: [[192, 0, 2, 2]] });
    records.set('new.test', { [TYPE_AAAA]: [V6] });
    expect([...(await resolve('both.test'))].sort()).toEqual(['10.0.0.1', '192.0.2.1', '2606:4700::11']);
    expect(await resolve('old.test')).toEqual(['192.0.2.2']);
    expect(await resolve('new.test')).toEqual(['2606:4700::11']);
  });

  it('is asked anew each time', async () => {
    records.set('moving.test', { [TYPE_A]: [[192, 0, 2, 1]] });
    expect(await resolve('moving.test')).toEqual(['192.0.2.1']);
    records.set('moving.test', { [TYPE_A]: [[127, 0, 0, 1]] });
    expect(await resolve('moving.test')).toEqual(['127.0.0.1']);
  });

  it('says so where there is no such name, or no address', async () => {
    await expect(resolve('nowhere.test')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    records.set('empty.test', {});
    await expect(resolve('empty.test')).rejects.toMatchObject({ code: 'ENODATA' });
  });
});
