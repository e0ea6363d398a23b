package dev.mobilebert.demo

import android.content.res.AssetManager
import java.io.FileInputStream
import java.nio.MappedByteBuffer
import java.nio.channels.FileChannel.MapMode

/**
 * An asset as memory, which the system fills where it is read and may take back.
 *
 * @throws java.io.IOException where there is none, or it is compressed.
 */
internal fun AssetManager.map(path: String): MappedByteBuffer = openFd(path).use { asset ->
    FileInputStream(asset.fileDescriptor).use {
        it.channel.map(MapMode.READ_ONLY, asset.startOffset, asset.length)
    }
}
