import { describe, expect, it } from '@jest/globals';
import { parseBusAddress } from './bus-address.ts';

describe('parseBusAddress', () => {
  it.each([
    ['nats://localhost:4222', { servers: ['nats://localhost:4222'] }],
    ['nats://s3cret-_@127.0.0.1:4222', { servers: ['nats://127.0.0.1:4222'], token: 's3cret-_' }],
    ['tls://us%40er:p%3Ass@nats.example', { servers: ['tls://nats.example'], user: 'us@er', pass: 'p:ss' }],
    ['nats://t@a:1, nats://b:2', { servers: ['nats://a:1', 'nats://b:2'], token: 't' }],
    ['nats://[::1]:4222', { servers: ['nats://[::1]:4222'] }],
  ])('parses %s', (urls, expected) => {
    expect(parseBusAddress(urls)).toEqual(expected);
  });
});
