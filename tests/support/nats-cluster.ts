import { connect, type StreamInfo } from 'nats';
import type { NatsCluster, ScratchServer } from './scratch-servers.ts';

/** Returns the streams as reported by their leaders. Rejects while a stream has no leader. */
export async function streamInfos({ url }: NatsCluster, names: readonly string[]): Promise<StreamInfo[]> {
  const urls = url.split(',').map((each) => new URL(each));
  const operator = await connect({ servers: urls.map(({ host }) => host), token: urls[0]!.username });
  try {
    const manager = await operator.jetstreamManager({ checkAPI: false, timeout: 1000 });
    return await Promise.all(names.map((name) => manager.streams.info(name)));
  } finally {
    await operator.close();
  }
}

/** The server that leads the stream. Rejects while there is none. */
export async function leaderOf(cluster: NatsCluster, stream: string): Promise<ScratchServer> {
  const [info] = await streamInfos(cluster, [stream]);
  const leader = cluster.servers[Number(info?.cluster?.leader?.at(-1)) - 1];
  if (!leader) throw new Error(`${stream} has no leader`);
  return leader;
}
