/** Exits with 0 where this container's service is ready: one of the three listens, on METRICS_PORT or one or two above it. */
const first = Number(process.env.METRICS_PORT || 9464);
const isReady = async (port) => {
  const response = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(2500) });
  if (!response.ok) throw new Error(await response.text());
};

try {
  await Promise.any([first, first + 1, first + 2].map(isReady));
} catch (error) {
  // Ports without a listener have no health.
  const said = error.errors.map((each) => each.message).filter((message) => message !== 'fetch failed');
  console.error(said.join('\n') || 'no service answers');
  process.exitCode = 1;
}
