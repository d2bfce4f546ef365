import type { ControlPlaneHarness } from './control-plane-harness.ts';

/** Copies what `work` adds to the outbox into the table `outbox_copy`, because sent messages are deleted. */
export async function copyOutbox<Result>(
  harness: ControlPlaneHarness,
  work: () => Promise<Result>,
): Promise<Result> {
  await harness.query('create table outbox_copy as select topic, payload from outbox where false');
  await harness.query(
    `create function keep() returns trigger language plpgsql as
     'begin insert into outbox_copy values (new.topic, new.payload); return new; end'`,
  );
  await harness.query('create trigger keep before insert on outbox for each row execute function keep()');
  const result = await work();
  await harness.query('drop trigger keep on outbox');
  return result;
}
