import { afterAll, describe, expect, it } from '@jest/globals';
import { systemClock, type Clock } from '@calls/foundation/clock';
import type { EventEmitter } from 'node:events';
import { queryObjects } from 'node:v8';
import { observer, type types } from 'mediasoup';
import { eventually } from '../support/eventually.ts';
import { MinimalClient } from '../support/webrtc/minimal-client.ts';
import { SignallingSocket } from '../support/webrtc/signalling-socket.ts';
import { WebRtcServer } from '../support/webrtc/web-rtc-server.ts';

/** Open mediasoup objects in this process, by kind. */
const open = new Map<string, number>();
const servers = new Set<types.WebRtcServer>();
/** Objects that outlive calls and have listeners for them. */
const emitters = new Map<string, EventEmitter>([['process', process]]);

function count(
  kind: string,
  thing: { observer: { once(event: 'close', listener: () => void): unknown } },
): void {
  add(kind, 1);
  thing.observer.once('close', () => add(kind, -1));
}

function add(kind: string, difference: number): void {
  open.set(kind, (open.get(kind) ?? 0) + difference);
}

observer.on('newworker', (worker) => {
  emitters.set('worker', worker).set('worker’s observer', worker.observer);
  worker.observer.on('newwebrtcserver', (server) => {
    emitters.set('server', server).set('server’s observer', server.observer);
    servers.add(server);
    server.observer.on('webrtctransporthandled', () => add('transports of the server', 1));
    server.observer.on('webrtctransportunhandled', () => add('transports of the server', -1));
    server.observer.once('close', () => {
      servers.delete(server);
      open.delete('transports of the server');
    });
  });
  worker.observer.on('newrouter', (router) => {
    count('routers', router);
    router.observer.on('newtransport', (transport) => {
      count('transports', transport);
      // Distributes worker notifications; not part of the public types.
      emitters.set('channel', Reflect.get(transport, 'channel') as EventEmitter);
      transport.observer.on('newproducer', (producer) => count('producers', producer));
      transport.observer.on('newconsumer', (consumer) => count('consumers', consumer));
      transport.observer.on('newdataproducer', (producer) => count('dataProducers', producer));
      transport.observer.on('newdataconsumer', (consumer) => count('dataConsumers', consumer));
    });
  });
});

/** Timers of the service, excluding the test and its clients. */
const timers = new Set<object>();
const clock: Clock = {
  ...systemClock,
  setTimer(delayMs, fire) {
    const waiting = {};
    timers.add(waiting);
    const timer = systemClock.setTimer(delayMs, () => {
      timers.delete(waiting);
      fire();
    });
    return {
      cancel: () => {
        timers.delete(waiting);
        timer.cancel();
      },
    };
  },
};

const server = await WebRtcServer.start({ clock });
expect(server.webRtc.unavailableReason).toBeNull();

afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

/** Resources in the mediasoup process. */
async function workerHolds(): Promise<Record<string, number>> {
  const [worker] = server.webRtc.workers;
  const [webRtcServer] = servers;
  if (!worker || !webRtcServer) throw new Error('no mediasoup worker runs');
  const { routerIds, channelMessageHandlers } = await worker.dump();
  const { webRtcTransportIds, localIceUsernameFragments } = await webRtcServer.dump();
  return {
    routers: routerIds.length,
    requestHandlers: channelMessageHandlers.channelRequestHandlers.length,
    notificationHandlers: channelMessageHandlers.channelNotificationHandlers.length,
    transports: webRtcTransportIds.length,
    iceNames: localIceUsernameFragments.length,
  };
}

const openHere = (): Record<string, number> => Object.fromEntries([...open].filter(([, n]) => n !== 0));

/** Resources in this process: sockets, pipes and processes by kind, and event listeners. */
function held(): Record<string, number> {
  const counts: Record<string, number> = {};
  // Test clients have timers too; those of the service are counted by its clock.
  for (const kind of process.getActiveResourcesInfo().filter((each) => each !== 'Timeout')) {
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  for (const [name, emitter] of emitters) {
    const listeners = emitter.eventNames().map((event) => emitter.listenerCount(event));
    counts[`listeners to the ${name}`] = listeners.reduce((sum, n) => sum + n, 0);
  }
  return counts;
}

function expectNoMoreThan(before: Record<string, number>): void {
  const more = Object.entries(held()).filter(([name, n]) => n > (before[name] ?? 0));
  expect(Object.fromEntries(more)).toEqual({});
}

/** A client in a call with audio in both directions. */
async function inCall(): Promise<MinimalClient> {
  let packets = 0;
  const client = await MinimalClient.join(server.url, { onPacket: () => (packets += 1) });
  client.speak(new Uint8Array([0x08, 0x08, 0x08]));
  await eventually(() => {
    for (const transport of server.joins) transport.write(new Int16Array(480));
    expect(packets).toBeGreaterThan(0);
  });
  return client;
}

const threeTimes = (leave: () => Promise<unknown>) => (): Promise<unknown> =>
  Promise.all(Array.from({ length: 3 }, leave));

const ROUNDS = 5;
/** One timer supervises the codec thread for some seconds after its last request. */
const IDLE_TIMERS = 1;
/** Runs and ends three calls. */
const LEAVING: Record<string, () => Promise<unknown>> = {
  'hang-up by the client': threeTimes(async () => (await inCall()).hangUp()),
  'end by the server': async () => {
    const clients = await Promise.all(Array.from({ length: 3 }, inCall));
    await Promise.all(server.joins.map((transport) => transport.close('hangup')));
    for (const client of clients) client.stopMedia();
  },
  'a network failure': threeTimes(async () => (await inCall()).vanish()),
  'a client that leaves after it opened the socket': threeTimes(async () => {
    const signalling = new SignallingSocket(server.url);
    await signalling.ready.promise;
    signalling.socket.close(1000);
    await signalling.closed.promise;
  }),
  'a client that leaves before the first message': threeTimes(async () => {
    const signalling = new SignallingSocket(server.url);
    await new Promise((resolve) => signalling.socket.once('open', resolve));
    signalling.socket.terminate();
  }),
  'a client that leaves during setup': threeTimes(async () => {
    const signalling = new SignallingSocket(server.url);
    const { routerRtpCapabilities: rtpCapabilities } = await signalling.ready.promise;
    const consuming = signalling.request({ type: 'rtc_consume', rtpCapabilities, data: true });
    signalling.socket.terminate();
    await consuming.catch(() => undefined);
  }),
};

describe('WebRTC calls leak no resources', () => {
  it.each(Object.entries(LEAVING))('after %s', async (_, leave) => {
    const idle = await eventually(workerHolds);
    // Warm-up: creates everything that is created on first use.
    await leave();
    await eventually(() => expect(openHere()).toEqual({}));
    const before = held();
    for (let i = 0; i < ROUNDS; i += 1) await leave();
    await eventually(async () => {
      expect(openHere()).toEqual({});
      expect(await workerHolds()).toEqual(idle);
      expectNoMoreThan(before);
      expect(timers.size).toBeLessThanOrEqual(IDLE_TIMERS);
    });
    expect(idle).toMatchObject({ routers: 0, transports: 0, iceNames: 0 });
  });

  it('after the death of the mediasoup worker', async () => {
    const before = held();
    const calls = await Promise.all(Array.from({ length: 3 }, inCall));
    expect(openHere()).toMatchObject({ routers: 3, transports: 12, producers: 6, consumers: 6 });
    expect(timers.size).toBeGreaterThanOrEqual(3);
    process.kill(server.webRtc.workers[0]?.pid ?? 0, 'SIGKILL');
    const codes = await Promise.all(
      calls.map(async (client) => (await client.signalling.closed.promise).code),
    );
    expect(codes).toEqual([1012, 1012, 1012]);
    for (const client of calls) client.stopMedia();
    await eventually(async () => {
      expect(openHere()).toEqual({});
      expect(await workerHolds()).toMatchObject({ routers: 0, transports: 0 });
      expectNoMoreThan(before);
    });
    // The replacement worker accepts calls.
    await (await inCall()).hangUp();
  });

  it('in the JavaScript heap', async () => {
    const calls = await Promise.all(Array.from({ length: 3 }, inCall));
    const { constructor: transports } = server.transport;
    for (const client of calls) await client.hangUp();
    expect(server.joins.length).toBeGreaterThan(50);
    server.joins.length = 0;
    // The engine itself may retain the value of the last promise.
    await eventually(() => expect(queryObjects(transports, { format: 'count' })).toBeLessThanOrEqual(3));
  });
});
