# SPDX-License-Identifier: Apache-2.0
"""HTTP servers on 127.0.0.1 that behave like the profilers of vLLM and SGLang, for tests of lockstep --record.

usage: fake_servers.py CONFIGS, a JSON list with one object per server; prints a JSON list of their ports. Ends with standard
input. Keys of a server:
  kind        vllm, sglang, router or old_router
  folder      where traces are written
  writers     number of traces per recording (default 1)
  style       vllm: oldest, middle or newest names; sglang: old (only /get_server_info) or new
  rate        engine steps per second (default 200)
  fault       absent (404), failed_start (200, nothing recorded), error (500), truncated (stop), dies (stop), dies_early
              (during the recording), starting (503), few (one trace missing), no_metrics, empty (a trace of 0 bytes first)
  slow_stop, late, blocking   seconds before the answer to stop; before files appear; sglang: start answers at the end
  key         the required bearer token
  workers     router: indexes of its servers
"""
import http.server
import json
import os
import socketserver
import sys
import threading
import time


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, request, client_address):
        pass


class Engine:
    def __init__(self, config):
        self.config = config
        self.began = time.monotonic()
        self.recording = 0
        self.log = []
        self.ports = []
        self.server = None

    def steps(self):
        return int((time.monotonic() - self.began) * self.config.get("rate", 200))

    def names(self):
        count = self.config.get("writers", 1) - (1 if self.config.get("fault") == "few" else 0)
        stamp = time.time_ns()
        style = self.config.get("style", "newest")
        for rank in range(count):
            if self.config["kind"] == "sglang":
                yield f"{stamp / 1e9:.6f}-TP-{rank}"
            elif style == "oldest":
                yield f"node1_{100 + rank}.{stamp}.pt.trace.json.gz"
            elif style == "middle":
                yield f"instance-rank-{rank}.{stamp}.pt.trace.json.gz"
            else:
                yield f"dp0_pp0_tp{rank}_dcp0_ep0_rank{rank}.{stamp}.pt.trace.json.gz"

    def write(self, stages=None):
        if self.config.get("fault") == "failed_start":
            return
        folder = self.config["folder"]
        os.makedirs(folder, exist_ok=True)
        time.sleep(self.config.get("late", 0))
        for name in self.names():
            if self.config["kind"] == "vllm":
                self.put(name)
                continue
            for stage in stages or [""]:
                part = os.path.join(folder, f"{name}{stage}.part0.trace.json.gz")
                if stages:
                    with open(part, "w") as file:
                        file.write("part")
                    time.sleep(0.3)
                self.put(f"{name}{stage}.trace.json.gz")
                if stages:
                    os.remove(part)
        if self.config["kind"] == "vllm":
            self.put(f"node1_99.async_llm.{time.time_ns()}.pt.trace.json.gz")
            self.put("profiler_out_0.txt")

    def put(self, name):
        path = os.path.join(self.config["folder"], name)
        with open(path, "w") as file:
            if self.config.get("fault") == "empty":
                file.flush()
                time.sleep(1.5)
            file.write("trace" * 100)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    engine = None

    def log_message(self, *args):
        pass

    def answer(self, status, body="", truncate=False):
        data = body.encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data) + (90 if truncate else 0)))
        self.end_headers()
        self.wfile.write(data)
        if truncate:
            self.close_connection = True

    def do_GET(self):
        self.handle_request("")

    def do_POST(self):
        self.handle_request(self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode())

    def handle_request(self, body):
        engine, config = self.engine, self.engine.config
        if self.path == "/log":
            return self.answer(200, json.dumps(engine.log))
        engine.log.append({"method": self.command, "path": self.path, "body": body, "at": time.monotonic()})
        if config.get("key") and self.headers.get("Authorization") != "Bearer " + config["key"]:
            return self.answer(401, '{"error": "Unauthorized"}')
        if config.get("fault") == "starting":
            return self.answer(503, "not ready\n")
        route = getattr(self, config["kind"])
        route(engine, config, body)

    def router(self, engine, config, _):
        workers = [{"url": f"http://127.0.0.1:{engine.ports[i]}", "is_healthy": True} for i in config["workers"]]
        if self.path == "/workers":
            return self.answer(200, json.dumps({"workers": workers}))
        self.answer(200, "forwarded to a worker")

    def old_router(self, engine, config, _):
        if self.path == "/workers":
            return self.answer(404)
        if self.path == "/list_workers":
            return self.answer(200, json.dumps({"urls": [f"http://127.0.0.1:{engine.ports[i]}@0" for i in config["workers"]]}))
        self.answer(200, "forwarded to a worker")

    def vllm(self, engine, config, _):
        fault = config.get("fault")
        if self.path == "/version":
            return self.answer(200, json.dumps({"version": config.get("version", "0.14.0")}))
        if self.path == "/health":
            return self.answer(200)
        if self.path == "/metrics" and fault != "no_metrics":
            return self.answer(200, "# TYPE vllm:iteration_tokens_total histogram\n"
                               f'vllm:iteration_tokens_total_count{{engine="0",model_name="m"}} {engine.steps()}.0\n')
        if self.path not in ("/start_profile", "/stop_profile") or fault == "absent":
            return self.answer(404, '{"detail":"Not Found"}')
        if self.command != "POST":
            return self.answer(405, '{"detail":"Method Not Allowed"}')
        if fault == "error":
            return self.answer(500, '{"detail": "Profiler is not enabled."}')
        if self.path == "/start_profile":
            engine.recording = 1
            if fault == "dies_early":
                self.answer(200)
                return self.die(engine)
            return self.answer(200)
        self.stop(engine, config, fault)

    def stop(self, engine, config, fault, text=""):
        if fault == "dies":
            return self.die(engine)
        was, engine.recording = engine.recording, 0
        time.sleep(config.get("slow_stop", 0))
        if was and config.get("late"):
            threading.Thread(target=engine.write, daemon=True).start()
        elif was:
            engine.write()
        self.answer(200, text, truncate=fault == "truncated")

    def die(self, engine):
        self.close_connection = True
        engine.server.socket.close()
        threading.Thread(target=engine.server.shutdown, daemon=True).start()

    def sglang(self, engine, config, body):
        fault = config.get("fault")
        old = config.get("style") == "old"
        if self.path == ("/get_server_info" if old else "/server_info"):
            return self.answer(200, json.dumps({"tp_size": config.get("writers", 1), "dp_size": 1, "model_path": "m",
                                                "version": "0.4.6" if old else "0.5.9", "internal_states": []}))
        if self.path == "/health":
            return self.answer(200)
        if self.path == "/start_profile":
            if fault == "error":
                return self.answer(500, "Internal Server Error")
            return self.start_sglang(engine, config, json.loads(body or "{}"))
        if self.path == "/stop_profile":
            if not engine.recording:
                return self.answer(500, "Internal Server Error")
            return self.stop(engine, config, fault, "Stop profiling. This will take some time.\n")
        self.answer(404, '{"detail":"Not Found"}')

    def start_sglang(self, engine, config, request):
        engine.recording += 1
        config["folder"] = request.get("output_dir", config.get("folder"))
        steps, mine = request.get("num_steps"), engine.recording
        stages = ["-EXTEND", "-DECODE"] if request.get("profile_by_stage") else None

        def finish():
            if config.get("rate", 200) == 0:
                return
            time.sleep(steps / config.get("rate", 200))
            if engine.recording != mine:
                return
            engine.recording = 0
            engine.write(stages)
        if config.get("fault") == "dies_early":
            self.answer(200, "Start profiling.\n")
            return self.die(engine)
        if steps and config.get("blocking"):
            finish()
        elif steps:
            threading.Thread(target=finish, daemon=True).start()
        self.answer(200, "Start profiling.\n")


def main():
    engines = [Engine(config) for config in json.loads(sys.argv[1])]
    for engine in engines:
        engine.server = Server(("127.0.0.1", 0), type("Bound", (Handler,), {"engine": engine}))
    ports = [engine.server.server_address[1] for engine in engines]
    for engine in engines:
        engine.ports = ports
        threading.Thread(target=engine.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    print(json.dumps(ports), flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
