FROM python:3.12-slim

ENV PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    PIP_NO_CACHE_DIR=1 \
    PIP_DISABLE_PIP_VERSION_CHECK=1

# The pictures of links to tables have words in them.
RUN apt-get update && apt-get install -y --no-install-recommends fonts-dejavu-core \
    && rm -rf /var/lib/apt/lists/*

# /data is made here so that a fresh volume mounted on it belongs to the service's user.
RUN useradd --system --uid 10001 --no-create-home peril \
    && install -d -o peril -g peril /data

WORKDIR /srv
# The requirements alone first: they change seldom, and this layer is the slow one.
COPY requirements.txt ./
RUN pip install --require-hashes -r requirements.txt
COPY . .
# The build backend is among the locked requirements, hence no isolated (unlocked) build.
RUN pip install --no-deps --no-build-isolation .

USER peril
# A relative database path lands in the volume.
WORKDIR /data
VOLUME /data
EXPOSE 8700
HEALTHCHECK --interval=15s --timeout=4s --start-period=20s --retries=3 \
    CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8700/healthz', timeout=3)"]
CMD ["peril", "serve", "--host", "0.0.0.0", "--port", "8700"]
