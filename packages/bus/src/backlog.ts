import { ADMISSION_CLASSES, type AdmissionClass } from '@calls/api-contract/bus/created-call';
import type { JetStreamManager } from 'nats';
import { createdConsumerName, CREATED_STREAM, EVENTS_STREAM } from './topology.ts';

/** What waits in the streams, at the moment. */
export interface Backlog {
  /** Created calls that no worker has taken. */
  createdCalls: Record<AdmissionClass, number>;
  /** Call events that consumers of that name have not handled. */
  callEvents: number;
}

export async function readBacklog(manager: JetStreamManager, durable: string): Promise<Backlog> {
  const [events, ...created] = await Promise.all([
    manager.consumers.info(EVENTS_STREAM, durable),
    ...ADMISSION_CLASSES.map((name) => manager.consumers.info(CREATED_STREAM, createdConsumerName(name))),
  ]);
  const waiting = (name: AdmissionClass): number =>
    created[ADMISSION_CLASSES.indexOf(name)]?.num_pending ?? 0;
  return {
    createdCalls: {
      priority: waiting('priority'),
      standard: waiting('standard'),
      lowest_cost: waiting('lowest_cost'),
    },
    callEvents: events.num_pending + events.num_ack_pending,
  };
}
