/**
 * Exits with 0 if the service of this container is ready. The service listens on METRICS_PORT or one or two ports above
 * it.
 */
const first = Number(process.env.METRICS_PORT || 9464);
const isReady = async (port) => {
  const response = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(2500) });
  if (!response.ok) throw new Error(await response.text());
};

try {
  await Promise.any([first, first + 1, first + 2].map(isReady));
} catch (error) {
  // Ignores the two ports on which no service listens.
  const said = error.errors.map((each) => each.message).filter((message) => message !== 'fetch failed');
  console.error(said.join('\n') || 'no service answers');
  process.exitCode = 1;
}
