/**
 * Codex's arguments for a model on loopback: a separate provider, because with its usual one it tries a web socket for
 * seven seconds before it asks by HTTP (seen with 0.166.0), and asks again many times.
 */
export function codexProvider(url: string): string[] {
  const settings = [
    'name="scripted"',
    `base_url="${url}/v1"`,
    'env_key="CODEX_API_KEY"',
    'wire_api="responses"',
    'supports_websockets=false',
    'request_max_retries=0',
    'stream_max_retries=0',
  ];
  return ['-c', 'model_provider="scripted"', '-c', `model_providers.scripted={${settings.join(',')}}`];
}
