import { createServer, type RequestListener } from 'node:http';

/** Serves a page to browsers on this machine, at the port `EXAMPLE_PORT`. */
export function servePage(respond: RequestListener): void {
  const port = Number(process.env['EXAMPLE_PORT'] ?? 8090);
  createServer(respond)
    .on('error', (error) => {
      console.error(`cannot serve the page: ${error.message}. To use another port, set EXAMPLE_PORT.`);
      process.exitCode = 1;
    })
    .listen(port, '127.0.0.1', () => console.log(`open http://localhost:${port}`));
}
