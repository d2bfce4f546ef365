import type { RestartPolicy } from '@calls/local-stack/process/restart-policy';
import type { Stack, StackOptions } from '@calls/local-stack/stack';
import { findFreePorts } from '@calls/local-stack/free-port';
import { EACH_MOVE_MS } from '@calls/media-worker/calls/drain-pace';
import { startLoadStack } from '../support/load-stack.ts';
import { ScratchServers, type NatsCluster } from '../support/scratch-servers.ts';
import { openTelephoneNetwork, type TelephoneNetwork } from './callers/phone-caller.ts';
import type { DrillOptions } from './drill-options.ts';
import { SLOTS_PER_CALL } from './scale.ts';

const HOST = '127.0.0.1';
const RTP_PORTS_PER_CALL = 4;
const MIN_DRAIN_LIMIT_MS = 10_000;
const SCALE_DRAIN_LIMIT_MS = 20_000;

/** Permits as many restarts as processes are lost. */
const RESTART: RestartPolicy = {
  firstDelayMs: 500,
  maxDelayMs: 500,
  maxRestarts: Number.MAX_SAFE_INTEGER,
  stableMs: 10_000,
};

/** The system with all its processes, simulated AI endpoints and telephony providers. */
export interface DrillStack extends AsyncDisposable {
  readonly stack: Stack;
  readonly network: TelephoneNetwork;
  /** NATS servers that replicate streams; null for the server of the stack. */
  readonly nats: NatsCluster | null;
}

export async function startDrillStack(
  {
    kind,
    calls,
    size,
    dataDir,
    nats: natsServers = 1,
  }: Pick<DrillOptions, 'kind' | 'calls' | 'size' | 'dataDir'> & Partial<Pick<DrillOptions, 'nats'>>,
  changes: Pick<StackOptions, 'moduleFile' | 'startEnv'> = {},
): Promise<DrillStack> {
  await using undo = new AsyncDisposableStack();
  const network = undo.use(await openTelephoneNetwork());
  const workers = size['media-worker'];
  const capacity = capacityOf(kind, calls, workers);
  const nats = natsServers === 1 ? null : await startNats(natsServers, undo);
  const rtpPorts = workers * calls * RTP_PORTS_PER_CALL;
  const firstRtpPort = await findFreePorts(rtpPorts);
  const isEarlierRelease = kind === 'upgrade' || kind === 'record-release';
  const { stack } = undo.use(
    await startLoadStack({
      dataDir,
      // Earlier releases sent messages in the order in which they were said.
      ...(isEarlierRelease && { control: { llm: { strictOrder: false } } }),
      ports: { sipRtp: { first: firstRtpPort, last: firstRtpPort + rtpPorts - 1 } },
      size,
      overrides: { ...(nats && { natsUrl: nats.url }) },
      env: {
        LOG_LEVEL: 'info',
        DRAIN_LIMIT_MS: String(drainLimitMs(kind, capacity)),
        MEDIA_CAPACITY: String(capacity),
        NATS_REPLICAS: String(Math.min(3, natsServers)),
        // Workers accept all calls, even when the machine is overloaded.
        OVERLOAD_DELAY_MS: '0',
        CALL_TRACES: 'false',
        ...network.env,
        ...{ SIP_LISTEN_ADDRESS: HOST, SIP_ADDRESS: HOST, OUTBOUND_ALLOW_PRIVATE: HOST },
      },
      ...changes,
      restart: kind === 'kill' ? RESTART : 'never',
    }),
  );
  await network.configure(stack);
  const owned = undo.move();
  return { stack, network, nats, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Capacity of a worker, so that the remaining workers have room for all calls while others are stopped. */
function capacityOf(kind: DrillOptions['kind'], calls: number, workers: number): number {
  switch (kind) {
    case 'scale':
      return calls * SLOTS_PER_CALL;
    case 'kill':
    case 'upgrade':
    case 'rotate-keys':
    case 'record-release':
      // Includes room for calls that are created meanwhile.
      return calls * 2;
    case 'rolling-restart':
      return Math.ceil(calls / (workers - 1)) + 1;
  }
}

async function startNats(count: number, undo: AsyncDisposableStack): Promise<NatsCluster> {
  const scratch = await ScratchServers.open();
  undo.defer(() => scratch.close());
  return scratch.natsCluster(count);
}

/** Time limit of a drain: enough for all calls of a full worker to move one after the other. `scale` moves all at once. */
function drainLimitMs(kind: DrillOptions['kind'], capacity: number): number {
  return kind === 'scale' ? SCALE_DRAIN_LIMIT_MS : Math.max(MIN_DRAIN_LIMIT_MS, capacity * EACH_MOVE_MS);
}
