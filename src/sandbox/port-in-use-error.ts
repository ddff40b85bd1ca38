/** Another program holds the port. Apart from the server, so that telling it loads no server. */
export class PortInUseError extends Error {
  override readonly name = 'PortInUseError';
}
