"""The servers for fetch_bench.py: nginx on loopback, and a server that accepts connections and sends nothing."""

import os
import selectors
import socket
import subprocess
import threading
import time
from pathlib import Path

# nginx evaluates `return` before allow and deny, so the configuration also tests the address of the client.
NGINX_CONFIG = """
daemon off;
{user}
worker_processes 1;
worker_rlimit_nofile 60000;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 30000; multi_accept on; }}
http {{
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  default_type text/html;
  charset utf-8;
  keepalive_requests 10000000;
  keepalive_timeout 75s;
  log_format contact '$msec $server_addr $status';
  access_log {access_log};
  geo $stranger {{ default 1; 127.0.0.0/8 0; }}
  map $server_addr $certificate {{ ~^127\\.3\\.(?<group>[0-9]+)\\. {folder}/tls/$group.pem; default {folder}/tls/0.pem; }}
  server {{
    listen 0.0.0.0:{http} backlog=4096;
    allow 127.0.0.0/8; deny all;
    if ($stranger) {{ return 444; }}
    location = /robots.txt {{ return 404; }}
    location /lists/ {{ root {folder}; }}
    location /text/ {{ default_type text/plain; return 200 "hello"; }}
    location ~ "^/page/[0-9]+$" {{ return 200 "{page}"; }}
    location /page/ {{ return 404; }}
    location / {{ return 200 "{page}"; }}
  }}
  server {{
    listen 0.0.0.0:{busy} backlog=4096;
    allow 127.0.0.0/8; deny all;
    if ($stranger) {{ return 444; }}
    location = /robots.txt {{ return 404; }}
    location / {{ add_header Retry-After 30 always; return 429 "Too many requests"; }}
  }}
  {tls_server}
}}
"""

TLS_SERVER = """
  server {{
    listen 0.0.0.0:{https} ssl backlog=4096;
    allow 127.0.0.0/8; deny all;
    if ($stranger) {{ return 444; }}
    ssl_certificate $certificate;
    ssl_certificate_key {folder}/tls/key.pem;
    location = /robots.txt {{ return 404; }}
    location / {{ return 200 "{page}"; }}
  }}
"""

PAGE = (
    "<!doctype html><html lang=en><head><title>The page $uri of $host</title></head><body><h1>$uri</h1>"
    + "".join(f"<p>Paragraph {n} of $uri at $host says what a page says, in a few words of its own.</p>" for n in range(8))
    + "</body></html>"
)

TLS_GROUPS = 100
HOSTS_A_GROUP = 20


def tls_host(number: int) -> str:
    return f"127.3.{number // HOSTS_A_GROUP}.{number % HOSTS_A_GROUP + 1}"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def openssl(*arguments: str) -> None:
    subprocess.run(["openssl", *arguments], check=True, capture_output=True)


def make_certificates(folder: Path) -> Path:
    """Creates one authority, one key and a certificate per 20 hosts. Returns the system's bundle with the authority."""
    tls = folder / "tls"
    tls.mkdir()
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30",
            "-subj", "/CN=Benchmark authority", "-keyout", f"{tls}/ca.key", "-out", f"{tls}/ca.pem")
    openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=benchmark",
            "-keyout", f"{tls}/key.pem", "-out", f"{tls}/request.pem")
    for group in range(TLS_GROUPS):
        names = ",".join(f"IP:127.3.{group}.{host + 1}" for host in range(HOSTS_A_GROUP))
        (tls / "extensions").write_text(f"subjectAltName={names}\n")
        openssl("x509", "-req", "-in", f"{tls}/request.pem", "-CA", f"{tls}/ca.pem", "-CAkey", f"{tls}/ca.key",
                "-set_serial", str(1000 + group), "-days", "30", "-extfile", f"{tls}/extensions",
                "-out", f"{tls}/{group}.pem")
    bundle = tls / "bundle.pem"
    bundle.write_bytes(Path("/etc/ssl/certs/ca-certificates.crt").read_bytes() + (tls / "ca.pem").read_bytes())
    return bundle


def start_nginx(folder: Path, configuration: str, port: int) -> subprocess.Popen:
    """Starts nginx and returns when it accepts connections on the port."""
    file = folder / "nginx.conf"
    file.write_text(configuration)
    process = subprocess.Popen(["nginx", "-p", str(folder), "-c", str(file)], env=os.environ | {
        "PATH": os.environ["PATH"] + ":/usr/sbin"})
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return process
        except OSError:
            time.sleep(0.05)
    raise RuntimeError(f"nginx does not start: see {folder}/error.log")


def nginx_user() -> str:
    """Returns the user directive for the configuration. Without it, workers could not read the folder."""
    return "user root;" if os.geteuid() == 0 else ""


class Nginx:
    """nginx with a generated configuration in `folder`. Every address of 127.0.0.0/8 is a separate host."""

    def __init__(self, folder: Path, with_tls: bool, with_log: bool):
        self.http, self.https, self.busy = free_port(), free_port(), free_port()
        self.folder = folder
        self.log = folder / "access.log"
        (folder / "lists").mkdir(exist_ok=True)
        folder.chmod(0o755)
        values = dict(
            folder=folder, http=self.http, https=self.https, busy=self.busy, page=PAGE,
            user=nginx_user(),
            access_log=f"{self.log} contact" if with_log else "off",
        )
        values["tls_server"] = TLS_SERVER.format(**values) if with_tls else ""
        self.process = start_nginx(folder, NGINX_CONFIG.format(**values), self.http)

    def last_contact(self, prefix: str) -> float:
        """Returns when the last request to an address with that prefix was answered."""
        last = 0.0
        with self.log.open() as lines:
            for line in lines:
                moment, address, _ = line.split()
                if address.startswith(prefix):
                    last = max(last, float(moment))
        return last

    def forget_contacts(self) -> None:
        os.truncate(self.log, 0)

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()


class SilentServer:
    """Accepts connections on every loopback address and never sends anything."""

    def __init__(self):
        self._listener = socket.socket()
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._listener.bind(("0.0.0.0", 0))
        self._listener.listen(4096)
        self.port = self._listener.getsockname()[1]
        self._stopping = False
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        selector = selectors.DefaultSelector()
        selector.register(self._listener, selectors.EVENT_READ)
        guests = set()
        while not self._stopping:
            for key, _ in selector.select(0.5):
                guest = key.fileobj
                if guest is self._listener:
                    guest, (address, _port) = self._listener.accept()
                    if not address.startswith("127."):
                        guest.close()
                        continue
                    guest.setblocking(False)
                    guests.add(guest)
                    selector.register(guest, selectors.EVENT_READ)
                elif not self._is_there(guest):
                    selector.unregister(guest)
                    guests.discard(guest)
                    guest.close()
        for guest in guests:
            guest.close()

    @staticmethod
    def _is_there(guest: socket.socket) -> bool:
        try:
            return bool(guest.recv(65536))
        except BlockingIOError:
            return True
        except OSError:
            return False

    def stop(self) -> None:
        self._stopping = True
        self._thread.join()
        self._listener.close()
