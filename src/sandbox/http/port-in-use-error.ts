/** Another program holds the port. In a file of its own, so that handling it does not load the server. */
export class PortInUseError extends Error {
  override readonly name = 'PortInUseError';
}
