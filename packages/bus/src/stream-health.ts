import { nanos, type StreamInfo } from 'nats';
import { asBusError, BusUnavailableError } from './bus-error.ts';
import type { Connection } from './connection.ts';
import { STREAM_NAMES } from './topology.ts';

const CHECK_LIMIT_MS = 1500;
const SILENT_AFTER_MS = 4000;

/** Whether the streams and buckets accept writes. */
export class StreamHealth {
  readonly #connection: Connection;
  #check: Promise<void> | null = null;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * Rejects with a BusUnavailableError while disconnected, or unless every stream has a leader and most of its replicas.
   * Concurrent checks share their requests.
   */
  async check(): Promise<void> {
    this.#connection.assertConnected('check of streams');
    this.#check ??= this.#checkAll().finally(() => {
      this.#check = null;
    });
    await this.#check;
  }

  async #checkAll(): Promise<void> {
    await Promise.all(
      STREAM_NAMES.map((name) =>
        checkStream(this.#connection, name, CHECK_LIMIT_MS).catch((thrown: unknown) => {
          throw asBusError(`stream ${name}`, thrown);
        }),
      ),
    );
  }
}

/** Rejects unless the stream has a leader and most of its replicas. Only the leader responds. */
export async function checkStream(connection: Connection, name: string, limitMs: number): Promise<void> {
  const { streams } = await connection.manager(limitMs);
  if (!hasQuorum(await streams.info(name))) throw new BusUnavailableError(`stream ${name}`, undefined);
}

/**
 * Without a quorum, the leader still responds for up to 20 s; after that, a server responds without a leader. Replicas
 * contact their leader every second.
 */
function hasQuorum({ config, cluster }: StreamInfo): boolean {
  // A server outside of a cluster.
  if (!cluster) return true;
  const { leader = '', replicas = [] } = cluster;
  const connected = 1 + replicas.filter(({ active }) => active < nanos(SILENT_AFTER_MS)).length;
  return leader !== '' && connected > config.num_replicas / 2;
}
