/**
 * Returns the days of the month that is `monthsAgo` months before `now`, in UTC. Those of the current month end today.
 */
export function monthOf(now: Date, monthsAgo: number): { fromDate: string; toDate: string } {
  const dayOf = (date: Date): string => date.toISOString().slice(0, 10);
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth() - monthsAgo];
  const last = new Date(Date.UTC(year, month + 1, 0));
  return { fromDate: dayOf(new Date(Date.UTC(year, month, 1))), toDate: dayOf(last < now ? last : now) };
}
