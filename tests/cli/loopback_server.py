"""A web server for tests, on this machine alone, that answers as a test tells it: whole, in parts, wrongly, never."""
import http.server
import socketserver
import ssl
import threading


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.server.seen.append((self.headers.get("Host", ""), self.path, dict(self.headers)))
        self.close_connection = True
        try:
            self.server.answer(self)
        except (BrokenPipeError, ConnectionResetError, ssl.SSLError):
            pass

    def do_CONNECT(self):
        """A proxy that is every server of the world itself."""
        self.server.seen.append(("CONNECT", self.path, {}))
        if self.server.opens:
            self.close_connection = True
            self.server.opens(self)
            return
        self.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
        self.wfile.flush()
        try:
            self.connection = self.server.secure.wrap_socket(self.connection, server_side=True)
        except (ssl.SSLError, OSError):
            self.close_connection = True
            return
        self.rfile = self.connection.makefile("rb")
        self.wfile = socketserver._SocketWriter(self.connection)
        self.handle_one_request()
        self.close_connection = True
        self.connection.close()

    def end_headers(self):
        self.send_header("Connection", "close")
        super().end_headers()

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.seen = []
        self.answer = None
        self.opens = None  # another answer to CONNECT
        self.ended = threading.Event()
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def handle_error(self, *_):
        pass

    def url(self, rest=""):
        return f"http://127.0.0.1:{self.server_address[1]}/{rest}"

    def stop(self):
        self.ended.set()
        self.shutdown()
        self.server_close()


def send(body, ranges=True, stop_after=None, claims=None, tag='"v1"', wait=None, location=None, status=200):
    """An answer: `stop_after` bytes of a connection, then it ends, or waits for `wait`."""
    def answer(handler):
        asked = handler.headers.get("Range")
        if_range = handler.headers.get("If-Range")
        start = 0
        if location:
            handler.send_response(302)
            handler.send_header("Location", location)
            handler.send_header("Content-Length", "0")
            handler.end_headers()
            return
        if ranges and asked and if_range in (None, tag):
            start = int(asked.split("=")[1].rstrip("-"))
            if start >= len(body):
                handler.send_response(416)
                handler.send_header("Content-Length", "0")
                handler.end_headers()
                return
            handler.send_response(206)
            handler.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
        else:
            handler.send_response(status)
        if tag:
            handler.send_header("ETag", tag)
        handler.send_header("Content-Length", str(claims if claims is not None else len(body) - start))
        handler.end_headers()
        part = body[start:] if stop_after is None else body[start:start + stop_after]
        handler.wfile.write(part)
        handler.wfile.flush()
        if wait:
            wait.wait(20)
    return answer
